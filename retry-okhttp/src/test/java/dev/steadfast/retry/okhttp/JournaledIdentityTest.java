package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
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
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which calls are the same operation, and who gets its answer. */
class JournaledIdentityTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();
  private final JournalUnderTest journal = new JournalUnderTest(null);

  private Call.Factory calls(Entry entry) {
    HttpRetry retry =
        rig.retry().journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    return rig.calls(entry, Rig.builder(), retry);
  }

  private Request charge(UnaryOperator<Request.Builder> with, RetryOptions.Builder options) {
    Request.Builder request =
        new Request.Builder()
            .url(server.uri("/pay").toString())
            .post(RequestBody.create("5", null))
            .tag(RetryOptions.class, options.build());
    return with.apply(request).build();
  }

  private static RetryOptions.Builder named() {
    return RetryOptions.builder().journaled("charge", "order-1");
  }

  private Request with(String header, String value) {
    return charge(request -> request.header(header, value), named());
  }

  private static Entry.Outcome as(String principal, Entry entry, Call call) {
    try (RetryScope scope = RetryScope.enter(name -> null, principal, ScopeOptions.defaults())) {
      return entry.make(call);
    }
  }

  private static RetryReport.Saved saved(Entry.Outcome outcome) {
    return outcome.report().saved().orElseThrow(() -> new AssertionError(outcome));
  }

  private static RefusedException refused(Refusal refusal, Entry.Outcome outcome) {
    RefusedException thrown = assertInstanceOf(RefusedException.class, outcome.failure());
    assertEquals(refusal, thrown.refusal());
    return thrown;
  }

  private List<Optional<String>> keysAtTheServer() {
    return server.requests().stream().map(each -> each.header("Idempotency-Key")).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Stripe-Account", "Authorization", "Cookie", "X-Unheard-Of"})
  void aHeaderWithoutAPlaceIsRefusedByName(String header) {
    journal.settings(Settings.defaults());
    Call.Factory calls = calls(Entry.EXECUTE);
    Request request = with(header, "secret");

    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> calls.newCall(request).execute());

    assertTrue(
        refused.getMessage().startsWith("header of a journaled request: " + header + " (expected"),
        refused.getMessage());
    assertEquals(0, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource(Entry.class)
  void tracesAndRequestIdsNeedNoSetting(Entry entry) {
    Call.Factory calls = calls(entry);
    server.enqueue(Reply.status(200).body("charged"));
    for (String trace : List.of("1", "2")) {
      Request request =
          charge(
              each ->
                  each.header("traceparent", trace)
                      .header("baggage", "a=" + trace)
                      .header("x-request-id", trace)
                      .header("User-Agent", "app/" + trace),
              named());
      assertEquals("charged", entry.make(calls.newCall(request)).body());
    }
    assertEquals(1, server.requests().size(), "the second is the same request");
  }

  @ParameterizedTest
  @EnumSource(Entry.class)
  void anotherAccountIsAnotherRequest(Entry entry) {
    journal.settings(Settings.defaults().withHeaders("Stripe-Account"));
    Call.Factory calls = calls(entry);
    server.enqueue(Reply.status(200));
    entry.make(calls.newCall(with("Stripe-Account", "a")));

    Entry.Outcome other = entry.make(calls.newCall(with("Stripe-Account", "b")));

    assertEquals(Optional.of(State.SUCCEEDED), refused(Refusal.OTHER_REQUEST, other).existing());
    assertEquals(Effect.OTHER_REQUEST, saved(other).effect());
    assertEquals(StopReason.OTHER_REQUEST, other.report().reason());
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource(Entry.class)
  void aHeaderThatIsNotComparedDoesNotMakeAnotherRequest(Entry entry) {
    journal.settings(
        Settings.defaults().withUncomparedHeaders("X-Batch").addedByClient("Authorization"));
    Call.Factory calls = calls(entry);
    server.enqueue(Reply.status(200).body("charged"));
    entry.make(calls.newCall(with("X-Batch", "1")));

    assertEquals("charged", entry.make(calls.newCall(with("X-Batch", "2"))).body());
    assertEquals("charged", entry.make(calls.newCall(with("Authorization", "t"))).body());
    assertEquals(1, server.requests().size());
  }

  /** A web request, a job and the support desk mean the same order. */
  @ParameterizedTest
  @EnumSource(Entry.class)
  void whoCallsIsNoPartOfTheIdentity(Entry entry) {
    Call.Factory calls = calls(entry);
    server.enqueue(Reply.status(200).body("charged"));
    Request charge = charge(each -> each, named());
    Entry.Outcome first = as("alice", entry, calls.newCall(charge));
    assertEquals("charged", first.body());

    Entry.Outcome support = as("support", entry, calls.newCall(charge));
    Entry.Outcome job = entry.make(calls.newCall(charge));
    Entry.Outcome again = as("alice", entry, calls.newCall(charge));

    for (Entry.Outcome other : List.of(support, job)) {
      refused(Refusal.OTHER_CALLER, other);
      assertEquals(Effect.SUCCEEDED, saved(other).effect());
    }
    assertEquals("charged", again.body());
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource(Entry.class)
  void anAnswerIsHandedToAnotherCallerByOption(Entry entry) {
    journal.settings(Settings.defaults().handingBackToAll());
    Call.Factory calls = calls(entry);
    server.enqueue(Reply.status(200).body("charged"));
    Request charge = charge(each -> each, named());
    as("alice", entry, calls.newCall(charge));

    assertEquals("charged", as("support", entry, calls.newCall(charge)).body());
  }

  @Test
  void theKeyOnTheWireFollowsTheIdentity() {
    Call.Factory calls = calls(Entry.EXECUTE);
    server.enqueue(Reply.status(500), Reply.status(500), Reply.status(500), Reply.status(200));
    Request charge = charge(each -> each, named());
    as("alice", Entry.EXECUTE, calls.newCall(charge));
    as("support", Entry.EXECUTE, calls.newCall(charge));
    assertEquals(4, server.requests().size());
    assertEquals(1, keysAtTheServer().stream().distinct().count());

    server.enqueue(Reply.status(200));
    Request ofTenant = charge(each -> each, named().principal("acme"));
    Entry.EXECUTE.make(calls.newCall(ofTenant));
    assertEquals(5, server.requests().size(), "a principal by explicit word is part of it");
    assertEquals(2, keysAtTheServer().stream().distinct().count());
  }
}
