package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.Barrier;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import dev.steadfast.retry.tck.internal.JournalUnderTest.Step;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.io.HttpClientResponseHandler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An operation with a name and a business key is begun once; the rest is in the common table. */
class JournaledCallTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final ScriptedServer server = ScriptedServer.start();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Barrier barrier = new Barrier();
  private final FakeTime time = new FakeTime();
  private JournalUnderTest journal = new JournalUnderTest(null);
  private CloseableHttpClient client = HttpClients.createDefault();

  @AfterEach
  void close() throws Exception {
    barrier.open();
    client.close();
    threads.shutdown();
    assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS));
    server.assertNoLeaks();
    server.close();
  }

  private void journalOn(boolean threadsOfItsOwn) throws IOException {
    journalOn(threadsOfItsOwn, Parts.retry());
  }

  private void journalOn(boolean threadsOfItsOwn, HttpRetry.Builder retry) throws IOException {
    journal = new JournalUnderTest(threadsOfItsOwn ? threads : null);
    client.close();
    client =
        Apache5Retry.addTo(
                HttpClients.custom(),
                retry.journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build())
            .build();
  }

  /** The answer that the caller gets. */
  private record Got(
      int status, String body, @Nullable Header etag, @Nullable Throwable failure, RetryReport of) {
    static Got answer(ClassicHttpResponse response) throws IOException {
      return new Got(
          response.getCode(),
          Parts.text(response),
          response.getFirstHeader("ETag"),
          null,
          Apache5Reports.of(response));
    }

    RetryReport.Saved saved() {
      return of.saved().orElseThrow(() -> new AssertionError(this));
    }

    Refusal refusal() {
      return assertInstanceOf(RefusedException.class, failure).refusal();
    }
  }

  private HttpUriRequestBase pay(String body) {
    HttpUriRequestBase post = Parts.post(server.uri("/pay"));
    post.setEntity(new org.apache.hc.core5.http.io.entity.StringEntity(body));
    return post;
  }

  private Got call(HttpUriRequestBase request) {
    return call(request, RetryOptions.builder());
  }

  private Got call(HttpUriRequestBase request, RetryOptions.Builder options) {
    try {
      return execute(request, options, Got::answer);
    } catch (IOException thrown) {
      RetryReport report = RetryReport.of(thrown).orElseThrow(() -> new AssertionError(thrown));
      return new Got(-1, "", null, thrown, report);
    }
  }

  private <T> T execute(
      HttpUriRequestBase request, RetryOptions.Builder options, HttpClientResponseHandler<T> with)
      throws IOException {
    RetryOptions named = options.journaled("charge", "order-1").build();
    return client.execute(request, Apache5Retry.with(HttpClientContext.create(), named), with);
  }

  /** A POST whose key was dropped is sent once. */
  @Test
  void aLostAnswerToARequestWithoutItsKeyStaysUnknown() throws IOException {
    journalOn(false);
    client.close();
    client =
        Apache5Retry.addTo(
                HttpClients.custom()
                    .addRequestInterceptorLast((r, e, c) -> r.removeHeaders("Idempotency-Key")),
                Parts.retry()
                    .journal(journal)
                    .idempotencyKeys(IdempotencyKeys.randomUuid())
                    .build())
            .build();
    server.enqueue(Reply.closeAfterRequest());
    assertEquals(Effect.UNKNOWN, call(pay("5")).saved().effect());
    assertEquals(State.UNKNOWN, journal.endings().get(0).state());
    assertEquals(Refusal.UNKNOWN, call(pay("5")).refusal());
    assertEquals(1, server.requests().size());
  }

  @Test
  void aRedirectToAPageTellsNothingOfTheFirstRequest() throws IOException {
    journalOn(false);
    server.enqueue(Reply.status(302).header("Location", "/login"), Reply.status(200).body("in"));
    Got got = call(pay("5"));
    assertEquals("in", got.body());
    assertEquals(Effect.UNKNOWN, got.saved().effect());
  }

  @Test
  void whatIsUnzippedIsKeptUnzipped() throws IOException {
    journalOn(false);
    server.enqueue(Reply.status(200).header("Content-Encoding", "gzip").body(zipped("text")));
    assertEquals("text", call(pay("5")).body());
    Got again = call(pay("5"));
    assertTrue(again.saved().handedBack());
    assertEquals("text", again.body());
  }

  private static byte[] zipped(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      zip.write(text.getBytes(StandardCharsets.US_ASCII));
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/event-stream", "text/plain"})
  void aStreamAndALongBodyAreTheCallersToRead(String type) throws IOException {
    journalOn(false);
    journal.settings(Settings.defaults().withMostBodyBytes(3));
    server.enqueue(Reply.stalledBody(200, 100, "this").header("Content-Type", type));
    HttpUriRequestBase request = pay("5");
    request.setEntity(null);
    String start =
        execute(
            request,
            RetryOptions.builder(),
            response -> {
              InputStream content = response.getEntity().getContent();
              String read = new String(content.readNBytes(4), StandardCharsets.US_ASCII);
              request.cancel(); // what follows never comes
              return read;
            });
    assertEquals("this", start);
    HttpUriRequestBase again = pay("5");
    again.setEntity(null);
    assertEquals(Refusal.ANSWER_NOT_KEPT, call(again).refusal());
  }

  @ParameterizedTest
  @EnumSource
  void whoCancelsDoesNotWaitForTheJournal(Step step) throws Exception {
    journalOn(true);
    journal.on(step, barrier);
    HttpUriRequestBase request = pay("5");
    CompletableFuture<Got> running = CompletableFuture.supplyAsync(() -> call(request), threads);
    barrier.awaitReached();

    request.cancel();

    Got got = running.get(20, TimeUnit.SECONDS);
    assertInstanceOf(RequestFailedException.class, got.failure());
    assertEquals(StopReason.CANCELLED, got.of().reason());
    assertEquals(0, server.requests().size());
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertCanBeBegunAgain();
  }

  private void assertCanBeBegunAgain() {
    journal.mend();
    server.enqueue(Reply.status(200).body("charged"));
    assertEquals("charged", call(pay("5")).body());
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void theDeadlineDoesNotWaitForTheJournal(Step step) throws Exception {
    journalOn(true, Parts.retry().environment(time.environment()));
    journal.on(step, barrier);
    RetryOptions.Builder options = RetryOptions.builder().deadline(DEADLINE);
    CompletableFuture<Got> running =
        CompletableFuture.supplyAsync(() -> call(pay("5"), options), threads);
    barrier.awaitReached();

    time.advance(DEADLINE);

    Got got = running.get(20, TimeUnit.SECONDS);
    assertInstanceOf(SocketTimeoutException.class, got.failure());
    assertEquals(Effect.UNKNOWN, got.saved().effect(), "somebody else may have sent it");
    assertEquals(0, server.requests().size());
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertCanBeBegunAgain();
  }

  @ParameterizedTest
  @EnumSource
  void whoIsInterruptedDoesNotWaitForTheJournal(Step step) throws Exception {
    journalOn(true);
    journal.on(step, barrier);
    CompletableFuture<Got> running = new CompletableFuture<>();
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    Thread caller =
        new Thread(() -> {
          running.complete(call(pay("5")));
          kept.complete(Thread.interrupted());
        });
    caller.start();
    barrier.awaitReached();
    caller.interrupt();
    assertEquals(StopReason.INTERRUPTED, running.get(20, TimeUnit.SECONDS).of().reason());
    assertTrue(kept.get(20, TimeUnit.SECONDS));
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertCanBeBegunAgain();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLostNoteBeforeTheFirstByteSendsNothing(boolean elsewhere) throws IOException {
    journalOn(elsewhere);
    journal.onSending(() -> {
      throw new IOException("connection lost in commit");
    });
    assertInstanceOf(IOException.class, call(pay("5")).failure());
    assertEquals(List.of(), server.requests());
  }
}
