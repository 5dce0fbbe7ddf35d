package dev.steadfast.retry.okhttp;

import static dev.steadfast.retry.tck.internal.EventStreams.COMMENTS;
import static dev.steadfast.retry.tck.internal.EventStreams.OVERLOADED;
import static dev.steadfast.retry.tck.internal.EventStreams.RULES;
import static dev.steadfast.retry.tck.internal.EventStreams.TEXT;
import static dev.steadfast.retry.tck.internal.EventStreams.events;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.EventStreams;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Event streams that are accepted with their first event, on sockets. */
class FirstEventTest {

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private HttpRetry inVirtualTime() {
    return rig.retry().classifier(RULES).build();
  }

  /** Real time, as the timeout is to end a read of a socket. */
  private static HttpRetry withAttemptsOf(Duration timeout) {
    RetryPolicy policy = RetryPolicy.builder().attemptTimeout(timeout).build();
    return HttpRetry.builder().policy(policy).classifier(RULES).build();
  }

  private static Response begin(Entry entry, Call call) throws IOException {
    return entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute();
  }

  @ParameterizedTest
  @EnumSource
  void theFirstEventIsEnough(Entry entry) throws IOException {
    Call.Factory calls = rig.calls(entry, Rig.builder(), inVirtualTime());
    server.enqueue(events(Reply.stalledBody(200, 100_000, COMMENTS + TEXT)));

    try (Response response = begin(entry, calls.newCall(Calls.post(server)))) {
      assertEquals(
          COMMENTS + TEXT,
          response.body().source().readUtf8((COMMENTS + TEXT).length()),
          "while the stream goes on");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theTimeoutOfTheAttemptEndsTheWait(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), withAttemptsOf(Duration.ofMillis(200)));
    server.enqueue(events(Reply.stalledBody(200, 100_000, COMMENTS)));
    server.defaultReply(events(TEXT));

    Entry.Outcome outcome = entry.make(calls.newCall(Calls.get(server)));

    assertEquals(TEXT, outcome.body(), outcome::toString);
    assertTrue(server.requests().size() >= 2, "a slow machine may need another attempt");
  }

  @ParameterizedTest
  @EnumSource
  void aPostIsNotRepeatedAfterTheTimeout(Entry entry) throws InterruptedException {
    Call.Factory calls = rig.calls(entry, Rig.builder(), withAttemptsOf(Duration.ofMillis(200)));
    server.defaultReply(events(Reply.stalledBody(200, 100_000, COMMENTS)));

    Entry.Outcome outcome = entry.make(calls.newCall(Calls.post(server)));

    assertInstanceOf(IOException.class, outcome.failure());
    assertEquals(StopReason.NOT_REPLAYABLE, outcome.report().reason(), outcome::toString);
    assertEquals(1, server.awaitRequests(1, Duration.ofSeconds(20)).size());
    assertTrue(outcome.report().serverMayHaveActed());
  }

  @ParameterizedTest
  @EnumSource
  void aCancellationEndsTheWait(Entry entry) throws InterruptedException {
    Call.Factory calls = rig.calls(entry, Rig.builder(), inVirtualTime());
    server.defaultReply(events(Reply.stalledBody(200, 100_000, COMMENTS)));
    Call call = calls.newCall(Calls.get(server));
    CountDownLatch asked = new CountDownLatch(1);
    server.whenRequest(any -> asked.countDown());
    Thread canceller =
        new Thread(() -> {
          try {
            asked.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          call.cancel();
        });
    canceller.start();

    Entry.Outcome outcome = entry.make(call);

    canceller.join();
    assertEquals("Canceled", outcome.failure().getMessage(), outcome::toString);
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsRepeatedAfterTheFirstEvent(Entry entry) throws IOException {
    Call.Factory calls = rig.calls(entry, Rig.builder(), inVirtualTime());
    server.defaultReply(events(Reply.truncatedBody(200, 1000, TEXT + "data: half")));

    try (Response response = begin(entry, calls.newCall(Calls.get(server)))) {
      assertEquals(1, OkHttpReports.of(response).attempts());
      assertThrows(IOException.class, () -> response.body().string());
    }
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aBeginningWithoutEndIsAccepted(Entry entry) throws IOException {
    Call.Factory calls = rig.calls(entry, Rig.builder(), inVirtualTime());
    server.defaultReply(events(Reply.endlessBody(200)));

    try (Response response = begin(entry, calls.newCall(Calls.post(server)))) {
      assertEquals(StopReason.ACCEPTED, OkHttpReports.of(response).reason());
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersWithoutABodyAreAccepted(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), inVirtualTime());
    server.enqueue(events(OVERLOADED), events(Reply.status(204)));
    Request head = Calls.get(server).newBuilder().head().build();

    assertEquals(200, entry.make(calls.newCall(head)).status());
    assertEquals(204, entry.make(calls.newCall(Calls.post(server))).status());
    assertEquals(2, server.requests().size());
  }

  @Test
  void theCallerGetsTheBytesOfAPlainClient() {
    Random random = new Random(3208);
    Call.Factory plain = rig.plain(Rig.builder());
    Call.Factory wrapped = rig.calls(Entry.EXECUTE, Rig.builder(), inVirtualTime());
    for (int round = 0; round < 300; round++) {
      Reply reply = events(Reply.status(200).body(EventStreams.random(random)));
      Reply sent = random.nextBoolean() ? reply.chunked() : reply;
      server.route((Received any) -> sent);
      Entry.Outcome expected = Entry.EXECUTE.make(plain.newCall(Calls.post(server)));
      assertEquals(expected.body(), Entry.EXECUTE.make(wrapped.newCall(Calls.post(server))).body());
    }
    assertEquals(600, server.requests().size());
  }
}
