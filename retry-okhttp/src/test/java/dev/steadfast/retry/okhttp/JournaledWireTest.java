package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An operation that was claimed with a key, and whose request loses it on the way. */
class JournaledWireTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();
  private final JournalUnderTest journal = new JournalUnderTest(null);

  /** What an interceptor makes of the key. */
  enum Change {
    REMOVED,
    REPLACED,
    DOUBLED;

    private Request of(Request request) {
      Request.Builder changed = request.newBuilder();
      return switch (this) {
        case REMOVED -> changed.removeHeader("Idempotency-Key").build();
        case REPLACED -> changed.header("Idempotency-Key", "another").build();
        case DOUBLED -> changed.addHeader("Idempotency-Key", "another").build();
      };
    }
  }

  static Stream<Arguments> changes() {
    return Stream.of(Entry.values())
        .flatMap(entry -> Stream.of(Change.values()).map(change -> Arguments.of(entry, change)));
  }

  private Call.Factory calls(Entry entry, OkHttpClient.Builder client) {
    HttpRetry retry =
        rig.retry().journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    return rig.calls(entry, client, retry);
  }

  private Entry.Outcome charge(Entry entry, Call.Factory calls) {
    Request request =
        new Request.Builder()
            .url(server.uri("/pay").toString())
            .post(RequestBody.create("5", null))
            .tag(RetryOptions.class, RetryOptions.builder().journaled("charge", "order-1").build())
            .build();
    return entry.make(calls.newCall(request));
  }

  private void assertNeverSentAgain(Entry entry, Call.Factory calls, Entry.Outcome first) {
    assertEquals(1, server.requests().size(), first::toString);
    RetryReport.Saved saved = first.report().saved().orElseThrow();
    assertEquals(Effect.UNKNOWN, saved.effect());
    assertTrue(saved.resumableUntil().isEmpty());
    assertEquals(Safety.KEYED, journal.intents().get(0).terms().safety());
    assertEquals(State.UNKNOWN, journal.endings().get(0).state());
    RefusedException refused =
        assertInstanceOf(RefusedException.class, charge(entry, calls).failure());
    assertEquals(Refusal.UNKNOWN, refused.refusal());
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @MethodSource("changes")
  void aLostAnswerToARequestWithoutItsKeyStaysUnknown(Entry entry, Change change) {
    Call.Factory calls =
        calls(
            entry,
            Rig.builder()
                .addNetworkInterceptor(chain -> chain.proceed(change.of(chain.request()))));
    server.enqueue(Reply.closeAfterRequest());
    assertNeverSentAgain(entry, calls, charge(entry, calls));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void soDoesAnErrorOfTheServer(Entry entry, Change change) {
    Call.Factory calls =
        calls(
            entry,
            Rig.builder()
                .addNetworkInterceptor(chain -> chain.proceed(change.of(chain.request()))));
    server.enqueue(Reply.status(500));
    assertNeverSentAgain(entry, calls, charge(entry, calls));
  }

  /** One attempt without its key is enough, whatever the others carried. */
  @ParameterizedTest
  @EnumSource
  void whatWentOutOnceWithoutItsKeyStaysUnknown(Entry entry) {
    OkHttpClient.Builder client =
        Rig.builder()
            .addNetworkInterceptor(chain -> {
              boolean second = server.requests().size() == 1;
              Request request = chain.request();
              return chain.proceed(second ? Change.REMOVED.of(request) : request);
            });
    Call.Factory calls = calls(entry, client);
    server.enqueue(Reply.status(500), Reply.closeAfterRequest());
    Entry.Outcome outcome = charge(entry, calls);
    assertEquals(2, server.requests().size(), outcome::toString);
    assertEquals(State.UNKNOWN, journal.endings().get(0).state());
    assertInstanceOf(RefusedException.class, charge(entry, calls).failure());
  }

  /** The last answer is that to the second request, and the first one may have been processed. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aRefusalOfWhatAnInterceptorSentTwiceIsNoProof(Entry entry) {
    OkHttpClient.Builder client =
        Rig.builder()
            .addInterceptor(chain -> {
              chain.proceed(chain.request()).close();
              return chain.proceed(chain.request());
            });
    server.enqueue(Reply.status(500), Reply.status(404));
    Entry.Outcome outcome = charge(entry, calls(entry, client));
    assertEquals(404, outcome.status());
    assertEquals(Effect.UNKNOWN, outcome.report().saved().orElseThrow().effect());
  }

  /** An interceptor of the factory's client runs within each attempt. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void anApplicationInterceptorIsSeenToo(Entry entry) {
    Call.Factory calls =
        calls(
            entry,
            Rig.builder()
                .addInterceptor(chain -> chain.proceed(Change.REMOVED.of(chain.request()))));
    server.enqueue(Reply.closeAfterRequest());
    assertNeverSentAgain(entry, calls, charge(entry, calls));
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerToARequestWithoutItsKeyCountsAsItIs(Entry entry) {
    Call.Factory calls =
        calls(
            entry,
            Rig.builder()
                .addNetworkInterceptor(chain -> chain.proceed(Change.REMOVED.of(chain.request()))));
    server.enqueue(Reply.status(402));
    Entry.Outcome outcome = charge(entry, calls);
    assertEquals(Effect.FAILED, outcome.report().saved().orElseThrow().effect());
    assertFalse(outcome.report().outcomeUnknown());
  }
}
