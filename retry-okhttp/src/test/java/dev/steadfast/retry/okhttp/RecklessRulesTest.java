package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.Authenticator;
import okhttp3.Call;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules of a user's that would have everything sent again: they cannot, by mistake. */
class RecklessRulesTest {
  private static final HttpClassifier RECKLESS =
      new HttpClassifier() {
        @Override
        public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
          return Verdict.retryable(FailureKind.ERROR_STATUS);
        }

        @Override
        public Verdict onFailure(OperationView operation, TransportFailure failure) {
          return Verdict.retryable(FailureKind.ERROR_STATUS);
        }
      };

  private static final Authenticator PASSWORD =
      (route, response) ->
          response.request().header("Authorization") != null
              ? null
              : response.request().newBuilder().header("Authorization", "Basic x").build();

  private final Rig rig = new Rig();
  private final ScriptedServer server = ScriptedServer.start();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    server.assertNoLeaks();
    server.close();
  }

  private HttpRetry.Builder reckless() {
    return rig.retry().classifier(RECKLESS);
  }

  private Entry.Outcome make(Entry entry, HttpRetry.Builder retry, Request request) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), retry.build());
    return entry.make(calls.newCall(request));
  }

  private static Request with(Request request, RetryOptions.Builder options) {
    return request.newBuilder().tag(RetryOptions.class, options.build()).build();
  }

  private static Stream<Arguments> entriesAnd(Reply... replies) {
    return Arrays.stream(Entry.values())
        .flatMap(entry -> Arrays.stream(replies).map(reply -> Arguments.of(entry, reply)));
  }

  static Stream<Arguments> maybeProcessed() {
    return entriesAnd(
        Reply.status(200),
        Reply.status(302),
        Reply.status(404),
        Reply.status(429),
        Reply.status(500),
        Reply.status(503),
        Reply.closeAfterRequest(),
        Reply.resetAfterRequest());
  }

  @ParameterizedTest
  @MethodSource("maybeProcessed")
  void aKeylessPostIsSentOnce(Entry entry, Reply reply) {
    server.defaultReply(reply);

    Entry.Outcome got = make(entry, reckless(), Calls.post(server));

    assertEquals(1, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  static Stream<Arguments> refused() {
    return entriesAnd(Reply.status(401), Reply.status(425));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void itGoesAgainAfterARefusal(Entry entry, Reply reply) {
    server.defaultReply(reply);

    Entry.Outcome got = make(entry, reckless(), Calls.post(server));

    assertEquals(3, server.requests().size(), got.toString());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.report().reason());
  }

  static Stream<Arguments> replayable() {
    return Stream.of("GET", "PUT", "POST")
        .flatMap(method ->
            entriesAnd(Reply.status(500), Reply.status(404), Reply.closeAfterRequest())
                .map(each -> Arguments.of(each.get()[0], each.get()[1], method)));
  }

  /** A POST has a key here. */
  @ParameterizedTest
  @MethodSource("replayable")
  void whatIsReplayableGoesAgainAsOftenAsAllowed(Entry entry, Reply reply, String method) {
    server.defaultReply(reply);
    Request request =
        Calls.get(server)
            .newBuilder()
            .method(method, method.equals("GET") ? null : Rig.BODY)
            .build();

    Entry.Outcome got =
        make(entry, reckless().idempotencyKeys(IdempotencyKeys.randomUuid()), request);

    assertEquals(3, server.requests().size(), got.toString());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.report().reason());
  }

  @ParameterizedTest
  @MethodSource("maybeProcessed")
  void theCallersWordLiftsIt(Entry entry, Reply reply) {
    server.defaultReply(reply);
    Request post = with(Calls.post(server), RetryOptions.builder().replayable(true).paidRepeats(2));

    Entry.Outcome got = make(entry, reckless(), post);

    assertEquals(3, server.requests().size(), got.toString());
  }

  @ParameterizedTest
  @MethodSource("maybeProcessed")
  void theCallersWordForbidsAGet(Entry entry, Reply reply) {
    server.defaultReply(reply);
    Request get = with(Calls.get(server), RetryOptions.builder().replayable(false));

    Entry.Outcome got = make(entry, reckless(), get);

    assertEquals(1, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  @ParameterizedTest
  @MethodSource("maybeProcessed")
  void itForbidsAPostWithAKey(Entry entry, Reply reply) {
    server.defaultReply(reply);
    Request post = with(Calls.post(server), RetryOptions.builder().replayable(false));

    Entry.Outcome got = make(entry, reckless().idempotencyKeys(IdempotencyKeys.randomUuid()), post);

    assertEquals(1, server.requests().size(), got.toString());
  }

  // ---- a challenge, and then a limit: only a rule that claims proof may go on

  private Entry.Outcome limitedAfterAChallenge(Entry entry, HttpClassifier rules) {
    server.route(request -> request.header("Authorization").isEmpty() ? Reply.status(401) : null);
    server.enqueue(Reply.status(429));
    Call.Factory calls =
        rig.calls(
            entry, Rig.builder().authenticator(PASSWORD), rig.retry().classifier(rules).build());
    return entry.make(calls.newCall(Calls.post(server)));
  }

  private List<Boolean> authorized() {
    return server.requests().stream()
        .map(each -> each.header("Authorization").isPresent())
        .toList();
  }

  @ParameterizedTest
  @EnumSource
  void theStandardRulesClaimThatALimitIsARefusal(Entry entry) {
    Entry.Outcome got = limitedAfterAChallenge(entry, StandardRules.defaults());

    assertEquals(200, got.status(), got.toString());
    assertEquals(List.of(false, true, false, true), authorized());
  }

  @ParameterizedTest
  @EnumSource
  void recklessOnesClaimNothing(Entry entry) {
    Entry.Outcome got = limitedAfterAChallenge(entry, RECKLESS);

    assertEquals(List.of(false, true), authorized(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }
}
