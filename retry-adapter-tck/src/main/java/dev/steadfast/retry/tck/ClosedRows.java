package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import java.util.List;

/** A server that commits and closes looks like a connection that was closed while it was idle. */
final class ClosedRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final String STALE = "STALE_CONNECTION unknown";
  private static final String LOST = "CONNECTION_LOST unknown";
  private static final String BACKOFF = "wait 100ms backoff";
  private static final String UNTOLD =
      "the client does not tell whether a connection that broke had been used before";
  private static final Reply BUSY = status(503).body("busy");

  private ClosedRows() {}

  static List<Scenario> rows() {
    return List.of(
        once(
            closed("one attempt allowed: sent once").policy(p -> p.maxAttempts(1)),
            "ATTEMPTS_EXHAUSTED 1"),
        once(
            closed("noRetry for this call: sent once").options(RetryOptions.builder().noRetry()),
            "ATTEMPTS_EXHAUSTED 1"),
        once(
            closed("for a request that says not to retry: sent once")
                .inbound("Do-Not-Retry", "true"),
            "DO_NOT_RETRY 1"),
        once(closed("budget empty: sent once").tokens(0), "BUDGET_EXHAUSTED 1"),
        closed("two attempts allowed: the second with the same key")
            .policy(p -> p.maxAttempts(2))
            .retriedAfter(STALE, "wait 0s stale connection")
            .differs(
                Trait.HIDES_STALE_CONNECTIONS,
                UNTOLD,
                e -> e.trace("attempt 1: " + LOST, BACKOFF, "attempt 2: 200", "done ACCEPTED 2")),
        closed("and then 503, two attempts allowed: no third")
            .policy(p -> p.maxAttempts(2))
            .replies(OK, Reply.closeAfterRequest(), BUSY)
            .answers(503, "busy")
            .requests(2)
            .trace(
                "attempt 1: " + STALE,
                "wait 0s stale connection",
                "attempt 2: " + UNAVAILABLE,
                "done ATTEMPTS_EXHAUSTED 2")
            .differs(
                Trait.HIDES_STALE_CONNECTIONS,
                UNTOLD,
                e ->
                    e.trace(
                        "attempt 1: " + LOST,
                        BACKOFF,
                        "attempt 2: " + UNAVAILABLE,
                        "done ATTEMPTS_EXHAUSTED 2")));
  }

  private static Scenario once(Scenario row, String done) {
    return row.fails(CONNECTION_LOST)
        .endsAfter(STALE, done)
        .differs(
            Trait.HIDES_STALE_CONNECTIONS,
            UNTOLD,
            e -> e.trace("attempt 1: " + LOST, "done " + done));
  }

  /** The first call leaves a connection in the pool, on which the POST is read, and then lost. */
  private static Scenario closed(String what) {
    return row("POST with a key on a pooled connection that the server closes after it, " + what)
        .post("/pay", "100")
        .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()))
        .expect(e -> e.key("minted"))
        .first(1, HttpCall.of("GET", "/first"))
        .replies(OK, Reply.closeAfterRequest(), OK);
  }
}
