package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An operation with a name and a business key is begun once. */
class JournaledCallTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Rig rig = new Rig();

  @AfterEach
  void close() throws Exception {
    rig.close();
    server.assertNoLeaks();
    server.close();
    threads.shutdown();
    assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS));
  }

  /** Each way in, with a journal on the caller's thread and with one on threads of its own. */
  static Stream<Arguments> ways() {
    return Stream.of(Entry.values())
        .flatMap(entry -> Stream.of(Arguments.of(entry, false), Arguments.of(entry, true)));
  }

  private JournalUnderTest journal(boolean elsewhere) {
    return new JournalUnderTest(elsewhere ? threads : null);
  }

  private Call.Factory calls(Entry entry, JournalUnderTest journal, boolean keyed) {
    HttpRetry.Builder retry = rig.retry().journal(journal);
    if (keyed) {
      retry.idempotencyKeys(IdempotencyKeys.randomUuid());
    }
    return rig.calls(entry, Rig.builder(), retry.build());
  }

  private Entry.Outcome charge(Entry entry, Call.Factory calls, String body) {
    RetryOptions options = RetryOptions.builder().journaled("charge", "order-1").build();
    Request request =
        new Request.Builder()
            .url(server.uri("/pay").toString())
            .post(RequestBody.create(body, null))
            .tag(RetryOptions.class, options)
            .build();
    return entry.make(calls.newCall(request));
  }

  private static RetryReport.Saved saved(Entry.Outcome outcome) {
    return outcome.report().saved().orElseThrow(() -> new AssertionError(outcome));
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aClientWithinTheAttemptDoesNotWaitForTheClaim(Entry entry, boolean elsewhere) {
    HttpRetry retry = rig.retry().journal(journal(elsewhere)).build();
    Call.Factory within = rig.calls(Entry.EXECUTE, Rig.builder(), retry);
    OkHttpClient.Builder around =
        Rig.builder().addInterceptor(chain -> within.newCall(chain.request()).execute());
    server.enqueue(Reply.status(200).body("charged"));

    Entry.Outcome outcome = charge(entry, rig.calls(entry, around, retry), "5");

    assertEquals("charged", outcome.body(), outcome.toString());
    assertEquals(Effect.SUCCEEDED, saved(outcome).effect());
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aFailureAfterARedirectSaysNothingOfTheFirstRequest(Entry entry, boolean elsewhere) {
    Call.Factory calls = calls(entry, journal(elsewhere), false);
    server.enqueue(Reply.status(303).header("Location", "/receipt"));
    server.enqueue(Reply.status(404));

    Entry.Outcome outcome = charge(entry, calls, "5");

    assertEquals(404, outcome.status(), outcome.toString());
    assertEquals(Effect.UNKNOWN, saved(outcome).effect());
  }

  /** The GET may be that of a page for signing in. */
  @ParameterizedTest
  @CsvSource({"301, UNKNOWN", "302, UNKNOWN", "303, SUCCEEDED"})
  void aSuccessAfterARedirectMayBeThatOfAnotherRequest(int status, Effect effect) {
    for (Entry entry : Entry.values()) {
      Call.Factory calls = calls(entry, journal(false), false);
      server.enqueue(Reply.status(status).header("Location", "/login"));
      server.enqueue(Reply.status(200).body("login"));

      Entry.Outcome outcome = charge(entry, calls, "5");

      assertEquals("login", outcome.body(), outcome.toString());
      assertEquals(effect, saved(outcome).effect());
    }
  }
}
