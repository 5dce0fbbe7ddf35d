package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the operation's deadline ends, and what it leaves alone. */
class DeadlineTest {
  private static final Duration TOTAL = Duration.ofSeconds(60);

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private HttpRetry bounded() {
    return rig.retry().policy(Calls.seconds().totalTimeout(TOTAL).build()).build();
  }

  private static void assertTimeout(Entry.Outcome got) {
    assertEquals(InterruptedIOException.class, got.failure().getClass(), got.toString());
    assertTrue(got.failure().getMessage().startsWith("timeout: the "), got::toString);
    assertEquals(StopReason.DEADLINE, got.report().reason(), got.toString());
  }

  private static Response answer(Entry entry, Call call) throws IOException {
    return entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute();
  }

  // ---- the head

  /** A byte now and then keeps every read timeout from running out. */
  @ParameterizedTest
  @EnumSource
  void aHeadThatTricklesEndsAtTheDeadline(Entry entry) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> trickled =
          CompletableFuture.runAsync(
              () -> trickle(listener), task -> new Thread(task, "trickling-server").start());
      OkHttpClient.Builder builder = Rig.builder().readTimeout(Duration.ZERO);
      Call call =
          rig.calls(entry, builder, bounded())
              .newCall(
                  new Request.Builder()
                      .url("http://127.0.0.1:" + listener.getLocalPort() + "/")
                      .build());

      assertTimeout(entry.make(call));

      assertTrue(call.isCanceled());
      trickled.join();
    }
  }

  /** Sends the beginning of an answer; then a minute passes; then it waits for the client to go. */
  private void trickle(ServerSocket listener) {
    try (Socket socket = listener.accept()) {
      socket.setSoTimeout(10_000);
      byte[] request = new byte[8192];
      assertTrue(socket.getInputStream().read(request) > 0);
      for (byte next : "HTTP/1.1 200".getBytes(StandardCharsets.US_ASCII)) {
        socket.getOutputStream().write(next);
        rig.time.advance(TOTAL.dividedBy(12));
      }
      assertEquals(-1, socket.getInputStream().read());
    } catch (IOException reset) {
      // it has gone, too
    }
  }

  /** Time is up while the host is looked up; a keyless POST was not sent then, and is not now. */
  @ParameterizedTest
  @EnumSource
  void nothingIsSentAfterTheDeadline(Entry entry) {
    OkHttpClient.Builder builder =
        Rig.builder()
            .dns(host -> {
              rig.time.advance(TOTAL);
              return List.of(InetAddress.getLoopbackAddress());
            });
    Request post = Calls.post(server);
    Request named =
        post.newBuilder().url(post.url().newBuilder().host("service.test").build()).build();

    Entry.Outcome got = entry.make(rig.calls(entry, builder, bounded()).newCall(named));

    assertTimeout(got);
    assertEquals(0, server.requests().size());
    // An interceptor that is added after ours may have sent it by other means.
    Disposition known = entry == Entry.INTERCEPTOR ? Disposition.UNKNOWN : Disposition.UNSENT;
    assertEquals(known, got.report().last().orElseThrow().disposition());
  }

  /** The time is up before the timers know it: what blocks there must not hold the call itself. */
  @ParameterizedTest
  @EnumSource
  void theCallDoesNotWaitForItsCancel(Entry entry) throws Exception {
    AtomicLong passed = new AtomicLong();
    RetryEnvironment system = RetryEnvironment.system();
    RetryEnvironment jumping =
        new RetryEnvironment(
            () -> system.ticker().getAsLong() + passed.get(),
            system.clock(),
            system.random(),
            system.scheduler());
    CompletableFuture<Thread> sends = new CompletableFuture<>();
    CompletableFuture<Thread> cancels = new CompletableFuture<>();
    OkHttpClient.Builder builder =
        Rig.builder()
            .dns(host -> {
              sends.complete(Thread.currentThread());
              passed.addAndGet(TOTAL.toNanos());
              return List.of(InetAddress.getLoopbackAddress());
            })
            .eventListener(
                new EventListener() {
                  @Override
                  public void canceled(Call call) {
                    cancels.complete(Thread.currentThread());
                  }
                });
    HttpRetry retry = bounded().toBuilder().environment(jumping).build();
    Request get = Calls.get(server);
    Request named =
        get.newBuilder().url(get.url().newBuilder().host("service.test").build()).build();

    Entry.Outcome got = entry.make(rig.calls(entry, builder, retry).newCall(named));

    assertTimeout(got);
    assertNotEquals(sends.get(30, TimeUnit.SECONDS), cancels.get(30, TimeUnit.SECONDS));
  }

  /** Time is up in the last interceptor, and no timer has noticed yet. */
  @ParameterizedTest
  @EnumSource
  void noTimerIsNeededForThat(Entry entry) {
    AtomicInteger late = new AtomicInteger();
    RetryPolicy policy = Calls.seconds().totalTimeout(TOTAL).build();
    LongSupplier ticker =
        () -> late.get() * TOTAL.toNanos() + rig.time.environment().ticker().getAsLong();
    HttpRetry retry =
        HttpRetry.builder()
            .policy(policy)
            .environment(
                new RetryEnvironment(
                    ticker,
                    rig.time.environment().clock(),
                    rig.time.environment().random(),
                    rig.time))
            .build();
    OkHttpClient.Builder builder = Rig.builder();
    builder.addNetworkInterceptor(chain -> {
      late.set(1);
      return chain.proceed(chain.request());
    });

    Entry.Outcome got = entry.make(rig.calls(entry, builder, retry).newCall(Calls.post(server)));

    assertTimeout(got);
    assertEquals(0, server.requests().size());
  }

  /** An attempt timeout of the interceptor is a read timeout, and does not end the call. */
  @Test
  void theDeadlineAloneCancelsAnInterceptorsCall() {
    List<Duration> timeouts = List.of(Duration.ofMillis(100), Duration.ofSeconds(20));
    HttpRetry retry = rig.retry().policy(Calls.seconds().attemptTimeouts(timeouts).build()).build();
    Call call = rig.calls(Entry.INTERCEPTOR, Rig.builder(), retry).newCall(Calls.get(server));
    server.enqueue(Reply.stallAfterRequest());
    assertEquals(200, Entry.INTERCEPTOR.make(call).status());
  }

  // ---- the call timeout

  /** It began with the call, and not with our interceptor. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theCallTimeoutRunsInInterceptorsBeforeOurs(boolean enqueued) {
    OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofSeconds(60));
    builder.addInterceptor(chain -> {
      rig.time.advance(Duration.ofSeconds(40));
      return chain.proceed(chain.request());
    });
    HttpRetry retry = rig.retry().policy(Calls.seconds().noTotalTimeout().build()).build();
    Call.Factory calls = rig.calls(Entry.INTERCEPTOR, builder, retry);
    server.enqueue(Reply.status(503).header("Retry-After", "25").body("later"));

    Entry way = enqueued ? Entry.ENQUEUE : Entry.INTERCEPTOR;
    Entry.Outcome got = way.make(calls.newCall(Calls.get(server)));

    assertEquals(503, got.status(), got.toString());
    assertEquals(StopReason.DEADLINE, got.report().reason());
  }

  // ---- bodies

  /** A minute of waiting for the next part, ten times. */
  private RequestBody slow(Duration each) {
    return new RequestBody() {
      @Override
      public MediaType contentType() {
        return null;
      }

      @Override
      public void writeTo(BufferedSink sink) throws IOException {
        for (int i = 0; i < 10; i++) {
          sink.writeUtf8("part " + i + "\n");
          sink.flush();
          rig.time.advance(each);
        }
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void theTotalTimeoutDoesNotRunWhileABodyIsSent(Entry entry) {
    Request put = Calls.get(server).newBuilder().put(slow(TOTAL)).build();
    Call.Factory calls = rig.calls(entry, Rig.builder(), bounded());
    server.enqueue(Reply.status(503));

    Entry.Outcome got = entry.make(calls.newCall(put));

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, got.report().attempts());
    assertTrue(server.requests().get(1).bodyText().endsWith("part 9\n"));
  }

  /** But it goes on afterwards, with what was left. */
  @ParameterizedTest
  @EnumSource
  void itGoesOnAfterTheBody(Entry entry) {
    Request put = Calls.get(server).newBuilder().put(slow(TOTAL)).build();
    Call.Factory calls = rig.calls(entry, Rig.builder(), bounded());
    server.defaultReply(Reply.stallAfterRequest());
    server.whenRequest(request -> rig.time.advance(TOTAL));

    assertTimeout(entry.make(calls.newCall(put)));
  }

  /** What the caller has set for this call bounds the body, too. */
  @ParameterizedTest
  @EnumSource
  void theDeadlineOfACallRunsWhileABodyIsSent(Entry entry) {
    RetryOptions options = RetryOptions.builder().deadline(TOTAL).build();
    Request put =
        Calls.get(server)
            .newBuilder()
            .put(slow(TOTAL.dividedBy(5)))
            .tag(RetryOptions.class, options)
            .build();

    assertTimeout(entry.make(rig.calls(entry, Rig.builder(), bounded()).newCall(put)));
  }

  /** OkHttp's own timeout ends an upload that the server does not read. */
  @ParameterizedTest
  @EnumSource
  void anUploadThatStallsEnds(Entry entry) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      listener.setReceiveBufferSize(4096);
      OkHttpClient.Builder builder = Rig.builder().writeTimeout(Duration.ofMillis(100));
      Request put =
          new Request.Builder()
              .url("http://127.0.0.1:" + listener.getLocalPort() + "/")
              .put(Bodies.streaming(2_000_000))
              .build();

      Entry.Outcome got = entry.make(rig.calls(entry, builder, rig.once()).newCall(put));

      assertInstanceOf(IOException.class, got.failure());
      assertEquals(1, got.report().attempts());
    }
  }

  /** The total timeout ends at the head of an answer that is not buffered. */
  @ParameterizedTest
  @EnumSource
  void theTotalTimeoutEndsAtTheHead(Entry entry) throws Exception {
    server.enqueue(Reply.stalledBody(200, 100, "data: 1\n"));
    Call call = rig.calls(entry, Rig.builder(), bounded()).newCall(Calls.get(server));
    try (Response response = answer(entry, call)) {
      rig.time.advance(TOTAL.multipliedBy(10));
      assertEquals("data: 1", response.body().source().readUtf8Line());
      assertEquals(false, call.isCanceled());
      call.cancel();
    }
  }

  /** As long as it takes for the head to come in time. */
  @ParameterizedTest
  @EnumSource
  void theDeadlineOfACallEndsTheBody(Entry entry) throws Exception {
    server.defaultReply(Reply.stalledBody(200, 100, "data: 1\n"));
    OkHttpClient.Builder builder = Rig.builder().readTimeout(Duration.ofSeconds(100));
    Call.Factory calls = rig.calls(entry, builder, HttpRetry.builder().build());
    for (long millis = 100; ; millis *= 2) {
      RetryOptions options = RetryOptions.builder().deadline(Duration.ofMillis(millis)).build();
      Request get = Calls.get(server).newBuilder().tag(RetryOptions.class, options).build();
      Response response;
      try {
        response = answer(entry, calls.newCall(get));
      } catch (InterruptedIOException tooEarly) {
        continue;
      }
      try (response) {
        long began = System.nanoTime();
        assertThrows(InterruptedIOException.class, () -> response.body().string());
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        assertTrue(took.compareTo(Duration.ofMillis(millis + 50_000)) < 0, took.toString());
        return;
      }
    }
  }
}
