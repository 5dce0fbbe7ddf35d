package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.TIMEOUT;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Propagation;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.ScopeHeaders;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Rows about the limits that an inbound request imposes on a call, and that the call passes on. */
final class ScopeRows {
  private static final String DO_NOT_RETRY = "Do-Not-Retry";
  private static final String MILLIS = "X-Request-Timeout-Ms";
  private static final String GRPC = "grpc-timeout";
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final String LEFT_TO_THE_LAYER_ABOVE = "";
  private static final String OF_NO_USE = "x-should-retry: false";

  private static final Reply BUSY = status(503);

  private ScopeRows() {}

  static List<Scenario> rows() {
    return Stream.of(told(), deadlines(), upward(), propagated(), keys())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Scenario> told() {
    return List.of(
        row("for a request that says not to retry: one attempt, the answer unread")
            .get("/a")
            .inbound(DO_NOT_RETRY, "true")
            .replies(BUSY.body("busy"))
            .answers(503, "busy")
            .endsAfter(UNAVAILABLE, "DO_NOT_RETRY 1")
            .expect(e -> e.upward(LEFT_TO_THE_LAYER_ABOVE)),
        row("for a request that says not to retry: one attempt, the exception unchanged")
            .put("/a", "body")
            .inbound(DO_NOT_RETRY, "true")
            .replies(Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter("CONNECTION_LOST unknown", "DO_NOT_RETRY 1")
            .expect(e -> e.upward(LEFT_TO_THE_LAYER_ABOVE)),
        row("for a request that says not to retry: a success is one")
            .get("/a")
            .inbound(DO_NOT_RETRY, "TRUE")
            .replies(OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1"),
        row("for a request that says anything else: retried")
            .get("/a")
            .inbound(DO_NOT_RETRY, "1")
            .replies(BUSY, OK)
            .retriedAfter(UNAVAILABLE),
        row("for a request that says not to retry: a stale connection is replaced all the same")
            .first(1, HttpCall.of("GET", "/first"))
            .get("/a")
            .inbound(DO_NOT_RETRY, "true")
            .replies(OK.thenClose(), BUSY)
            .notFor(Trait.NOTICES_CLOSING_BY_CHANCE, "whether the client notices in time is chance")
            .answers(503, "")
            .requests(1)
            .trace(
                "attempt 1: STALE_CONNECTION unknown",
                "wait 0s stale connection",
                "attempt 2: 503 UNAVAILABLE answered",
                "done DO_NOT_RETRY 2")
            .expect(e -> e.upward(LEFT_TO_THE_LAYER_ABOVE))
            .differs(
                Trait.HIDES_STALE_CONNECTIONS,
                "the client leaves or replaces a stale connection itself",
                e -> e.trace("attempt 1: " + UNAVAILABLE, "done DO_NOT_RETRY 1")));
  }

  private static List<Scenario> deadlines() {
    return List.of(
        patient("for a request that leaves less time than the policy: that is the deadline")
            .inbound(GRPC, "250S")
            .replies(BUSY, BUSY, BUSY.body("3"))
            .answers(503, "3")
            .requests(3)
            .trace(
                "attempt 1: " + UNAVAILABLE,
                "wait 100s backoff",
                "attempt 2: " + UNAVAILABLE,
                "wait 100s backoff",
                "attempt 3: " + UNAVAILABLE,
                "done DEADLINE 3")
            .expect(e -> e.upward(OF_NO_USE)),
        patient("for a request with two deadlines: the shorter one")
            .inbound(GRPC, "1H", MILLIS, "99999")
            .replies(BUSY)
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "DEADLINE 1")
            .expect(e -> e.upward(LEFT_TO_THE_LAYER_ABOVE)),
        row("for a request that leaves more time than the policy: the policy's deadline")
            .get("/a")
            .policy(p ->
                p.backoff(Backoff.fixed(Duration.ofSeconds(20)))
                    .totalTimeout(Duration.ofSeconds(30)))
            .inbound(GRPC, "1H")
            .replies(BUSY, BUSY)
            .answers(503, "")
            .requests(2)
            .trace(
                "attempt 1: " + UNAVAILABLE,
                "wait 20s backoff",
                "attempt 2: " + UNAVAILABLE,
                "done DEADLINE 2"),
        row("for a request whose time is up within an attempt: nobody's failure")
            .put("/a", "body")
            .inbound(MILLIS, "500")
            .replies(Reply.stallAfterRequest())
            .at(Scenario.Moment.REQUEST, run -> run.advance(Scenario.ms(500)))
            .fails(TIMEOUT)
            .endsAfter("TIMEOUT unknown", "DEADLINE 1")
            .expect(e -> e.permits("released").budget("UNKNOWN").upward(LEFT_TO_THE_LAYER_ABOVE)),
        row("for a request that leaves more time than the policy: the server's failure")
            .put("/a", "body")
            .policy(p -> p.totalTimeout(Scenario.ms(500)))
            .inbound(MILLIS, "501")
            .replies(Reply.stallAfterRequest())
            .at(Scenario.Moment.REQUEST, run -> run.advance(Scenario.ms(500)))
            .fails(TIMEOUT)
            .endsAfter("TIMEOUT unknown", "DEADLINE 1")
            .expect(e -> e.permits("failed").budget("FAILED")),
        row("for a request that allows retries: an optional call tells nothing upward")
            .get("/a")
            .policy(p -> p.maxAttempts(2))
            .inbound("X-Other", "1")
            .options(RetryOptions.builder().optional())
            .replies(BUSY, BUSY)
            .answers(503, "")
            .endsAfter(UNAVAILABLE, UNAVAILABLE, "ATTEMPTS_EXHAUSTED 2")
            .expect(e -> e.upward(LEFT_TO_THE_LAYER_ABOVE)),
        row("for a request that leaves no time: nothing is sent")
            .get("/a")
            .inbound(MILLIS, "0")
            .fails(TIMEOUT)
            .requests(0)
            .trace("done DEADLINE 0")
            .expect(e -> e.upward(LEFT_TO_THE_LAYER_ABOVE)),
        row("for a request with junk for a deadline: as without")
            .get("/a")
            .inbound(GRPC, "-5S", MILLIS, "9".repeat(10_000))
            .replies(BUSY, OK)
            .retriedAfter(UNAVAILABLE));
  }

  private static Scenario patient(String name) {
    return row(name)
        .get("/a")
        .policy(
            p -> p.maxAttempts(9).backoff(Backoff.fixed(Duration.ofSeconds(100))).noTotalTimeout());
  }

  private static List<Scenario> upward() {
    return List.of(
        row("for a request: attempts used up, the layer above need not retry")
            .get("/a")
            .inbound("X-Other", "1")
            .policy(p -> p.maxAttempts(2))
            .replies(BUSY, BUSY)
            .answers(503, "")
            .endsAfter(UNAVAILABLE, UNAVAILABLE, "ATTEMPTS_EXHAUSTED 2")
            .expect(e -> e.upward(OF_NO_USE)),
        row("for a request that says not to retry: a server that says so too is quoted")
            .get("/a")
            .inbound(DO_NOT_RETRY, "true")
            .replies(BUSY.header("x-should-retry", "false"))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "DO_NOT_RETRY 1")
            .expect(e -> e.upward(OF_NO_USE)),
        row("for a request: budget empty, the layer above need not retry")
            .get("/a")
            .inbound("X-Other", "1")
            .tokens(0)
            .replies(BUSY)
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "BUDGET_EXHAUSTED 1")
            .expect(e -> e.upward(OF_NO_USE)));
  }

  private static List<Scenario> propagated() {
    return List.of(
        retried("told to an origin that is named: the time that is left, attempt by attempt")
            .retry((b, run) -> b.propagation(Propagation.to(run.origin())))
            .expect(e ->
                e.sent(MILLIS, "30000", "29900", "29700")
                    .sent(GRPC, "30000000u", "29900000u", "29700000u")
                    .sent(DO_NOT_RETRY, "-", "-", "-")),
        retried("told to an origin that is named: this layer retries")
            .retry((b, run) -> b.propagation(Propagation.to(run.origin()).owningRetries()))
            .expect(e -> e.sent(DO_NOT_RETRY, "true", "true", "true")),
        retried("told to an origin that is named, in a mesh's words")
            .retry((b, run) ->
                b.propagation(
                    Propagation.to(run.origin()).owningRetries().withHeaders(ScopeHeaders.envoy())))
            .expect(e ->
                e.sent("x-envoy-max-retries", "0", "0", "0")
                    .sent("x-envoy-expected-rq-timeout-ms", "30000", "29900", "29700")
                    .sent(DO_NOT_RETRY, "-", "-", "-")
                    .sent(GRPC, "-", "-", "-")),
        retried("told to another origin: nothing goes to this one")
            .retry(b -> b.propagation(Propagation.to("https://elsewhere.example").owningRetries()))
            .inbound(GRPC, "1H")
            .expect(e ->
                e.sent(MILLIS, "-", "-", "-")
                    .sent(GRPC, "-", "-", "-")
                    .sent(DO_NOT_RETRY, "-", "-", "-")),
        row("told to an origin that is named: what the request said")
            .get("/a")
            .retry((b, run) -> b.propagation(Propagation.to(run.origin())))
            .inbound(DO_NOT_RETRY, "true", MILLIS, "20000")
            .replies(BUSY)
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "DO_NOT_RETRY 1")
            .expect(e -> e.sent(DO_NOT_RETRY, "true").sent(MILLIS, "20000")),
        retried("told to an origin that is named: the caller's own words stay")
            .header("do-not-retry", "no")
            .header("GRPC-Timeout", "1n")
            .retry((b, run) -> b.propagation(Propagation.to(run.origin()).owningRetries()))
            .expect(e ->
                e.sent(DO_NOT_RETRY, "no", "no", "no")
                    .sent(GRPC, "1n", "1n", "1n")
                    .sent(MILLIS, "30000", "29900", "29700")));
  }

  private static Scenario retried(String name) {
    return row(name)
        .get("/a")
        .replies(BUSY, BUSY, OK)
        .answers(200, "ok")
        .endsAfter(UNAVAILABLE, UNAVAILABLE, "200", "ACCEPTED 3");
  }

  private static List<Scenario> keys() {
    return List.of(
        pay("for a keyed request, a call that asks for it: a key that derives from it")
            .options(RetryOptions.builder().derivedKey("pay"))
            .expect(e -> e.key("hash")),
        pay("for a keyed request, a call with a name: a key of its own")
            .options(RetryOptions.builder().name("pay"))
            .expect(e -> e.key("minted")),
        pay("for a keyed request, a call that asks for it and has a key: the call's key")
            .options(RetryOptions.builder().derivedKey("pay").idempotencyKey("mine"))
            .expect(e -> e.key("mine")),
        pay("for a request without a key, a call that asks for a derived one: a key of its own")
            .options(RetryOptions.builder().derivedKey("pay"))
            .inbound("Idempotency-Key", " ")
            .expect(e -> e.key("minted")));
  }

  private static Scenario pay(String name) {
    return row(name)
        .post("/pay", "100")
        .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()))
        .inbound("Idempotency-Key", "order-1")
        .replies(Reply.closeAfterRequest(), OK)
        .retriedAfter("CONNECTION_LOST unknown");
  }
}
