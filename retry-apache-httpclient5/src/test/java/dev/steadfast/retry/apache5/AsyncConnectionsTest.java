package dev.steadfast.retry.apache5;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.async.methods.AbstractBinResponseConsumer;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.async.methods.SimpleRequestProducer;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Connections: leased and released once, exhausted, cancelled, and bodies in both directions. */
class AsyncConnectionsTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final PoolingAsyncClientConnectionManager pool =
      new PoolingAsyncClientConnectionManager();
  private final List<CloseableHttpAsyncClient> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(each -> each.close(CloseMode.IMMEDIATE));
    server.close();
  }

  private CloseableHttpAsyncClient client(HttpRetry retry) {
    CloseableHttpAsyncClient client =
        Apache5Retry.addTo(HttpAsyncClients.custom().setConnectionManager(pool), retry).build();
    client.start();
    opened.add(client);
    return client;
  }

  private SimpleHttpRequest get() {
    return SimpleRequestBuilder.get(server.uri("/a")).build();
  }

  private Future<SimpleHttpResponse> put(AsyncEntityProducer body, HttpRetry retry) {
    return client(retry)
        .execute(
            new BasicRequestProducer(new BasicHttpRequest("PUT", server.uri("/a")), body),
            SimpleResponseConsumer.create(),
            null);
  }

  private static Throwable failure(Future<?> sent) {
    return assertThrows(ExecutionException.class, sent::get).getCause();
  }

  private void assertNoLease() {
    Parts.awaitNoLease(pool);
    assertEquals(0, pool.getTotalStats().getLeased());
    assertEquals(0, pool.getTotalStats().getPending());
  }

  @Test
  void theLastAnswerHasItsBodyAndItsReport() throws Exception {
    server.defaultReply(Reply.status(503).body("busy"));
    SimpleHttpResponse response = client(Parts.retry().build()).execute(get(), null).get();
    assertEquals("busy", response.getBodyText());
    assertEquals(3, Apache5Reports.of(response).attempts());
    assertNoLease();
    assertEquals(1, pool.getTotalStats().getAvailable());
    assertEquals(1, server.connectionsAccepted());
    assertFalse(List.of(response.getHeaders()).toString().contains("steadfast"));
    assertEquals("HTTP/1.1", response.getVersion().toString());
  }

  /** Takes bytes as they come. */
  private static final class Streaming extends AbstractBinResponseConsumer<Integer> {
    private final CompletableFuture<Integer> firstBytes = new CompletableFuture<>();
    private final AtomicInteger heads = new AtomicInteger();
    private int count;

    @Override
    protected void start(HttpResponse response, ContentType type) {
      heads.incrementAndGet();
    }

    @Override
    protected int capacityIncrement() {
      return 1024;
    }

    @Override
    protected void data(ByteBuffer data, boolean end) {
      count += data.remaining();
      data.position(data.limit());
      firstBytes.complete(count);
    }

    @Override
    protected Integer buildResult() {
      return count;
    }

    @Override
    public void failed(Exception cause) {}

    @Override
    public void informationResponse(
        HttpResponse response, org.apache.hc.core5.http.protocol.HttpContext context) {}

    @Override
    public void releaseResources() {}
  }

  @Test
  void aStreamThatBreaks_isNotRepeated() throws Exception {
    server.enqueue(Reply.status(503).body("busy"), Reply.truncatedBody(200, 100_000, "half of it"));
    Streaming consumer = new Streaming();
    Throwable thrown =
        failure(
            client(Parts.retry().build())
                .execute(SimpleRequestProducer.create(get()), consumer, null));
    assertInstanceOf(IOException.class, thrown);
    assertEquals(10, consumer.firstBytes.get());
    assertEquals(1, consumer.heads.get());
    assertEquals(2, server.requests().size());
    assertNoLease();
  }

  @Test
  void aLongStream_isPassedOnWhole() throws Exception {
    server.enqueue(Reply.status(503), Reply.status(200).body("x".repeat(3_000_000)));
    Streaming consumer = new Streaming();
    int read =
        client(Parts.retry().bufferBodiesUpTo(1000).build())
            .execute(SimpleRequestProducer.create(get()), consumer, null)
            .get();
    assertEquals(3_000_000, read);
    assertNoLease();
  }

  @Test
  void aConsumerThatThrows_getsNoOtherAttempt() {
    server.defaultReply(Reply.status(200).body("ok"));
    AbstractBinResponseConsumer<Integer> throwing =
        new AbstractBinResponseConsumer<>() {
          @Override
          protected void start(HttpResponse response, ContentType type) throws IOException {
            throw new IOException("not mine");
          }

          @Override
          protected int capacityIncrement() {
            return 1024;
          }

          @Override
          protected void data(ByteBuffer data, boolean end) {}

          @Override
          protected Integer buildResult() {
            return 0;
          }

          @Override
          public void failed(Exception cause) {}

          @Override
          public void informationResponse(
              HttpResponse response, org.apache.hc.core5.http.protocol.HttpContext context) {}

          @Override
          public void releaseResources() {}
        };
    Throwable thrown =
        failure(
            client(Parts.retry().build())
                .execute(SimpleRequestProducer.create(get()), throwing, null));
    assertEquals("not mine", thrown.getMessage());
    assertEquals(1, server.requests().size());
    assertNoLease();
  }

  @Test
  void anExhaustedPool_provesThatNothingWasSent() throws Exception {
    pool.setMaxTotal(1);
    server.enqueue(Reply.stalledBody(200, 100, "half"));
    FakeTime time = new FakeTime();
    CloseableHttpAsyncClient client =
        client(
            Parts.retry()
                .idempotencyKeys(IdempotencyKeys.randomUuid())
                .environment(time.environment())
                .build());
    Streaming holding = new Streaming();
    Future<Integer> held = client.execute(SimpleRequestProducer.create(get()), holding, null);
    holding.firstBytes.get();
    SimpleHttpRequest post =
        SimpleRequestBuilder.post(server.uri("/pay")).setBody("1", ContentType.TEXT_PLAIN).build();
    HttpClientContext context =
        Apache5Retry.with(
            HttpClientContext.create(),
            RetryOptions.builder().deadline(Duration.ofSeconds(20)).build());
    Future<SimpleHttpResponse> waiting = client.execute(post, context, null);
    while (pool.getTotalStats().getPending() == 0) {
      Thread.onSpinWait(); // bounded by the time limit of the test
    }
    time.advance(Duration.ofSeconds(20));
    RetryReport report = RetryReport.of(failure(waiting)).orElseThrow();
    assertEquals(StopReason.DEADLINE, report.reason());
    assertEquals(Disposition.UNSENT, report.last().orElseThrow().disposition());
    assertFalse(report.serverMayHaveActed());
    assertEquals(1, report.attempts());
    held.cancel(true);
    assertEquals(1, server.requests().size());
    assertNoLease();
  }

  @Test
  void cancelEndsAWaitAtOnce_andHoldsNoLease() throws Exception {
    server.defaultReply(Reply.status(503));
    CompletableFuture<StopReason> reason = new CompletableFuture<>();
    HttpRetry slow =
        HttpRetry.builder()
            .policy(RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofSeconds(20))).build())
            .listener(
                new RetryListener() {
                  @Override
                  public void ended(OperationInfo operation, RetryReport report) {
                    reason.complete(report.reason());
                  }
                })
            .build();
    Future<SimpleHttpResponse> sent = client(slow).execute(get(), null);
    server.awaitRequests(1, Duration.ofSeconds(10));
    assertNoLease();
    assertTrue(sent.cancel(true));
    assertThrows(CancellationException.class, sent::get);
    assertEquals(StopReason.CANCELLED, reason.get());
    assertEquals(1, server.requests().size());
  }

  @Test
  void cancelOfARequestUnderWay_closesItsConnection() throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    Future<SimpleHttpResponse> sent = client(Parts.retry().build()).execute(get(), null);
    server.awaitRequests(1, Duration.ofSeconds(10));
    sent.cancel(true);
    assertThrows(CancellationException.class, sent::get);
    assertNoLease();
    assertEquals(1, server.requests().size());
  }

  @Test
  void theDeadlineOfTheOptionsEndsTheBodyToo() {
    server.defaultReply(Reply.stalledBody(200, 100, "half"));
    HttpClientContext context =
        Apache5Retry.with(
            HttpClientContext.create(),
            RetryOptions.builder().deadline(Duration.ofMillis(300)).build());
    Throwable thrown = failure(client(Parts.retry().build()).execute(get(), context, null));
    assertInstanceOf(SocketTimeoutException.class, thrown);
    assertTrue(String.valueOf(thrown.getMessage()).startsWith("timeout: "), thrown.getMessage());
    assertNoLease();
  }

  @Test
  void anAttemptThatTimesOut_leavesNoLease() throws Exception {
    server.enqueue(Reply.stallAfterRequest(), Reply.status(200).body("ok"));
    HttpRetry impatient =
        Parts.retry()
            .policy(
                RetryPolicy.builder()
                    .attemptTimeout(Duration.ofMillis(1500))
                    .backoff(Backoff.fixed(Duration.ofMillis(1)))
                    .build())
            .build();
    assertEquals("ok", client(impatient).execute(get(), null).get().getBodyText());
    assertNoLease();
    assertEquals(2, server.connectionsAccepted());
  }

  @Test
  void aBodyThatThrows_isNeverCompleteAtTheServer() {
    server.defaultReply(Reply.status(200));
    TestProducer broken =
        new TestProducer(
            "half of it".getBytes(java.nio.charset.StandardCharsets.US_ASCII), true, false) {
          @Override
          void ends(org.apache.hc.core5.http.nio.DataStreamChannel channel) throws IOException {
            throw new IOException("the file is gone");
          }
        };
    Throwable thrown = failure(put(broken, Parts.retry().build()));
    assertEquals("the file is gone", thrown.getMessage());
    assertEquals(1, RetryReport.of(thrown).orElseThrow().attempts());
    assertEquals(List.of(), server.requests());
    assertNoLease();
  }

  @Test
  void aConsumerThatThrowsAnError_endsTheCall() {
    AbstractBinResponseConsumer<String> throwing =
        new AbstractBinResponseConsumer<>() {
          @Override
          protected void start(HttpResponse response, ContentType type) {
            throw new NoClassDefFoundError("com/example/Parser");
          }

          @Override
          protected String buildResult() {
            return "";
          }

          @Override
          protected int capacityIncrement() {
            return Integer.MAX_VALUE;
          }

          @Override
          protected void data(ByteBuffer bytes, boolean end) {}

          @Override
          public void releaseResources() {}
        };
    server.defaultReply(Reply.status(200).body("answer"));
    Future<String> sent =
        client(Parts.retry().build()).execute(SimpleRequestProducer.create(get()), throwing, null);
    assertInstanceOf(NoClassDefFoundError.class, failure(sent).getCause());
    assertNoLease();
  }

  /** The producer offers its whole array at once, of which the connection takes a part. */
  @Test
  void anUploadThatIsSlowOutlivesTheTotalTimeout() throws Exception {
    FakeTime time = new FakeTime();
    HttpRetry retry = Parts.retry().environment(time.environment()).build();
    byte[] large = new byte[32 << 20]; // more than the buffers of a connection
    try (ServerSocket slow = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      SimpleHttpRequest put =
          SimpleRequestBuilder.put("http://127.0.0.1:" + slow.getLocalPort() + "/a")
              .setBody(large, ContentType.APPLICATION_OCTET_STREAM)
              .build();
      Future<SimpleHttpResponse> sent = client(retry).execute(put, null);
      try (Socket connection = slow.accept()) {
        connection.getInputStream().readNBytes(1_000); // the head, and the first part of the body
        time.advance(Duration.ofMinutes(10));
        connection.getInputStream().readNBytes(large.length - 1_000);
        connection
            .getOutputStream()
            .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII));
        assertEquals(200, sent.get().getCode());
      }
    }
  }

  @Test
  void aConnectionThatBreaksWithinTheUpload_mayHaveActed() {
    server.enqueue(Reply.resetAfterRequest().onHead(), Reply.status(200));
    SimpleHttpRequest post =
        SimpleRequestBuilder.post(server.uri("/pay"))
            .setBody(new byte[8 << 20], ContentType.APPLICATION_OCTET_STREAM)
            .build();
    RetryReport report =
        RetryReport.of(failure(client(Parts.retry().build()).execute(post, null))).orElseThrow();
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertEquals(1, report.attempts());
    assertNoLease();
  }

  @Test
  void aBodyThatChanges_isFoundOut_andTheCallerGetsTheLastAnswer() throws Exception {
    server.enqueue(Reply.status(503).body("busy"), Reply.status(200));
    byte[] long1 = new byte[300_000];
    SimpleHttpResponse response =
        put(new TestProducer(long1, true, true), Parts.retry().build()).get();
    assertEquals(503, response.getCode());
    assertEquals("busy", response.getBodyText());
    assertEquals(StopReason.BODY_CHANGED, Apache5Reports.of(response).reason());
    assertEquals(1, server.requests().size());
    assertNoLease();
  }

  @Test
  void aLongBodyIsSentAgainWhole() throws Exception {
    server.enqueue(Reply.status(503), Reply.status(200));
    byte[] body = new byte[5_000_000];
    put(new TestProducer(body, true, false), Parts.retry().build()).get();
    assertEquals(
        List.of(body.length, body.length),
        server.requests().stream().map(each -> each.bodyText().length()).toList());
    assertNoLease();
  }

  @Test
  void anUnwantedBodyThatNeverEnds_costsItsConnectionAlone() throws Exception {
    server.enqueue(Reply.endlessBody(503), Reply.status(200).body("ok"));
    SimpleHttpResponse response = client(Parts.retry().build()).execute(get(), null).get();
    assertEquals("ok", response.getBodyText());
    assertEquals(2, server.connectionsAccepted());
    assertNoLease();
  }

  @Test
  void aClientThatIsClosedDuringAWait_endsTheCall() throws Exception {
    server.defaultReply(Reply.status(503));
    FakeTime time = new FakeTime();
    CountDownLatch decided = new CountDownLatch(1);
    HttpRetry retry =
        Parts.retry()
            .policy(RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofSeconds(2))).build())
            .environment(time.environment())
            .listener(
                new RetryListener() {
                  @Override
                  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
                    decided.countDown();
                  }
                })
            .build();
    CloseableHttpAsyncClient client = client(retry);
    Future<SimpleHttpResponse> sent = client.execute(get(), null);
    decided.await();
    Parts.awaitNoLease(pool); // the answer was read
    client.close(CloseMode.IMMEDIATE);
    time.advance(Duration.ofSeconds(2));
    Throwable thrown = failure(sent);
    assertEquals(2, RetryReport.of(thrown).orElseThrow().attempts());
    assertEquals(
        Disposition.UNSENT,
        RetryReport.of(thrown).orElseThrow().last().orElseThrow().disposition());
    assertEquals(1, server.requests().size());
  }

  /** HttpClient may say nothing to a call under way when it is closed; the deadline ends it. */
  @RepeatedTest(3)
  void aBodyThatIsReadWhenTheClientIsClosed_isNotAskedForAgain() throws Exception {
    server.enqueue(
        Reply.status(503), Reply.stalledBody(200, 100, "half"), Reply.status(200).body("again"));
    FakeTime time = new FakeTime();
    CloseableHttpAsyncClient client =
        client(Parts.retry().environment(time.environment()).listener(time.skipWaits()).build());
    Streaming reading = new Streaming();
    HttpClientContext context =
        Apache5Retry.with(
            HttpClientContext.create(),
            RetryOptions.builder().deadline(Duration.ofSeconds(20)).build());
    Future<Integer> sent =
        client.execute(SimpleRequestProducer.create(get()), reading, context, null);
    assertEquals(4, reading.firstBytes.get());
    client.close(CloseMode.IMMEDIATE);
    time.advance(Duration.ofSeconds(20));
    assertInstanceOf(IOException.class, failure(sent));
    assertEquals(1, reading.heads.get());
    assertEquals(2, server.requests().size());
    assertNoLease();
  }

  @Test
  void sixteenThreadsWithFaultsAndCancels_loseNoLease() throws Exception {
    Parts.sometimesFailing(server);
    pool.setMaxTotal(8);
    pool.setDefaultMaxPerRoute(8);
    CloseableHttpAsyncClient client = client(Parts.retry().build());
    Parts.onSixteenThreads(() -> calls(client));
    assertNoLease();
  }

  private int calls(CloseableHttpAsyncClient client) throws InterruptedException {
    int succeeded = 0;
    long start = System.nanoTime();
    for (int i = 0; Parts.goesOn(i, start); i++) {
      Future<SimpleHttpResponse> sent = client.execute(get(), null);
      if (i % 5 == 4) {
        sent.cancel(true);
      }
      try {
        succeeded += sent.get().getCode() == 200 ? 1 : 0;
      } catch (ExecutionException | CancellationException unlucky) {
        succeeded += 0; // three faults in a row, a body that breaks, or cancelled
      }
    }
    return succeeded;
  }
}
