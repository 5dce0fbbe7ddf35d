package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.http.IdempotencyKeys;
import java.util.List;

/** Connections that the server closed while they were idle (docs/decisions/okhttp-wire.md). */
final class StaleRows {
  private static final String STALE = "STALE_CONNECTION unknown";
  private static final String AT_ONCE = "wait 0s stale connection";
  private static final String INSIDE = "the client leaves or replaces a stale connection itself";
  private static final HttpCall FIRST = HttpCall.of("GET", "/first");

  private StaleRows() {}

  static List<Scenario> rows() {
    return List.of(
        stale("GET on a stale connection: resent at once")
            .retriedAfter(STALE, AT_ONCE)
            .requests(1)
            .expect(e -> e.budget("SUCCEEDED").permits("released", "succeeded"))
            .differs(
                Trait.HIDES_STALE_CONNECTIONS,
                INSIDE,
                e -> e.trace("attempt 1: 200", "done ACCEPTED 1").permits("succeeded")),
        stale("GET on a stale connection, one attempt allowed: resent all the same")
            .policy(p -> p.maxAttempts(1))
            .retriedAfter(STALE, AT_ONCE)
            .requests(1)
            .differs(
                Trait.HIDES_STALE_CONNECTIONS,
                INSIDE,
                e -> e.trace("attempt 1: 200", "done ACCEPTED 1")),
        stale("GET on a stale connection, budget empty: resent all the same")
            .tokens(0)
            .retriedAfter(STALE, AT_ONCE)
            .requests(1)
            .differs(
                Trait.HIDES_STALE_CONNECTIONS,
                INSIDE,
                e -> e.trace("attempt 1: 200", "done ACCEPTED 1")),
        stale("GET on a stale connection, then 503, then 200: the resend is beside the count")
            .policy(p -> p.maxAttempts(2))
            .replies(OK.thenClose(), status(503), OK)
            .answers(200, "ok")
            .requests(2)
            .trace(
                "attempt 1: STALE_CONNECTION unknown",
                "wait 0s stale connection",
                "attempt 2: 503 UNAVAILABLE answered",
                "wait 100ms backoff",
                "attempt 3: 200",
                "done ACCEPTED 3")
            .differs(
                Trait.HIDES_STALE_CONNECTIONS,
                INSIDE,
                e ->
                    e.trace(
                        "attempt 1: 503 UNAVAILABLE answered",
                        "wait 100ms backoff",
                        "attempt 2: 200",
                        "done ACCEPTED 2")),
        stale("POST with a key on a stale connection: resent at once with the same key")
            .post("/pay", "100")
            .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()))
            .retriedAfter(STALE, AT_ONCE)
            .requests(1)
            .expect(e -> e.key("minted").budget("took 1 STALE_CONNECTION, SUCCEEDED"))
            .notFor(Trait.HIDES_STALE_CONNECTIONS, "whether the client notices in time is chance"));
  }

  /** The first call leaves a connection in the pool that the server closes. */
  private static Scenario stale(String name) {
    return row(name)
        .first(1, FIRST)
        .get("/a")
        .replies(OK.thenClose(), OK)
        .notFor(Trait.NOTICES_CLOSING_BY_CHANCE, "whether the client notices in time is chance");
  }
}
