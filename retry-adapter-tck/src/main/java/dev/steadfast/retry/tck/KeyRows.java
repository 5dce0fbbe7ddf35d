package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.ILLEGAL_ARGUMENT;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.USER;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.ResponseSignals;
import dev.steadfast.retry.http.RetryOptions;
import java.util.List;
import java.util.stream.Stream;

/** One key for one operation, the same on every attempt (docs/idempotency-keys.md). */
final class KeyRows {
  private static final String HEADER = "Idempotency-Key";
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final String LOST = "CONNECTION_LOST unknown";

  private KeyRows() {}

  static List<Scenario> rows() {
    return Stream.of(minted(), otherMethods(), callers(), forms(), answers(), refused())
        .flatMap(List::stream)
        .toList();
  }

  private static Scenario keyed(String name) {
    return row(name)
        .post("/pay", "100")
        .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()))
        .expect(e -> e.key("minted"));
  }

  private static List<Scenario> minted() {
    return List.of(
        keyed("POST with a minted key, 503 twice then 200: one key on all three")
            .replies(status(503), status(503), OK)
            .answers(200, "ok")
            .endsAfter(UNAVAILABLE, UNAVAILABLE, "200", "ACCEPTED 3"),
        keyed("POST with a minted key, lost response then 200: the same key again")
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST),
        keyed("PATCH with a minted key, 500 then 200")
            .call(HttpCall.of("PATCH", "/a").body(HttpCall.Form.REPEATABLE, "body"))
            .replies(status(500), OK)
            .retriedAfter("500 ERROR_STATUS answered"),
        keyed("PUT needs no key and gets none")
            .put("/a", "body")
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.key("none")));
  }

  private static List<Scenario> otherMethods() {
    IdempotencyKeys onAll = IdempotencyKeys.randomUuid().withEveryMethod();
    return List.of(
        keyed("QUERY needs no key and gets none")
            .call(HttpCall.of("QUERY", "/a").body(HttpCall.Form.REPEATABLE, "body"))
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.key("none")),
        keyed("PUT where the server takes keys on every method: one key on both attempts")
            .put("/a", "body")
            .retry(b -> b.idempotencyKeys(onAll))
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE),
        keyed("GET where the server takes keys on every method")
            .get("/a")
            .retry(b -> b.idempotencyKeys(onAll))
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST)
            .differs(
                Trait.RESENDS_READS,
                "the client resends the GET by itself, within one attempt",
                e -> e.trace("attempt 1: 200", "done ACCEPTED 1")),
        row("POST where keys are for PUT alone: it has none, and is not sent again")
            .post("/pay", "100")
            .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid().withMethods("PUT")))
            .replies(status(503).body("busy"))
            .answers(503, "busy")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1"),
        keyed("DELETE of the storage API: its token on both attempts")
            .call(HttpCall.of("DELETE", "/b/photos/o/1"))
            .retry(b -> b.idempotencyKeys(IdempotencyKeys.googleCloudStorage()))
            .keyHeader("x-goog-gcs-idempotency-token")
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE));
  }

  private static List<Scenario> callers() {
    return List.of(
        row("POST with the caller's own key: it vouches, and goes out unchanged")
            .post("/pay", "100")
            .header(HEADER, "order-12345-payment")
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST)
            .expect(e -> e.key("order-12345-payment")),
        keyed("POST with the caller's own key: it wins over a minted one")
            .header(HEADER, "mine")
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.key("mine")),
        keyed("POST with the caller's own key in small letters: still his")
            .header("idempotency-key", "mine")
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.key("mine")),
        row("POST with a business key in the options: vouches, on every attempt")
            .post("/pay", "100")
            .options(RetryOptions.builder().idempotencyKey("order-12345-payment"))
            .replies(status(500), OK)
            .retriedAfter("500 ERROR_STATUS answered")
            .expect(e -> e.key("order-12345-payment")),
        row("POST with a composite key in the options")
            .post("/pay", "100")
            .options(
                RetryOptions.builder()
                    .idempotencyKey(IdempotencyKeys.composite("user-7", "2014-06-06", "pay")))
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.key("user-7:2014-06-06:pay")),
        row("POST, the lost response of a caller's key is the last one: the exception unchanged")
            .post("/pay", "100")
            .header(HEADER, "mine")
            .policy(p -> p.maxAttempts(2))
            .replies(Reply.closeAfterRequest(), Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, LOST, "ATTEMPTS_EXHAUSTED 2")
            .expect(e -> e.key("mine")));
  }

  private static List<Scenario> forms() {
    return List.of(
        row("the quoted form of the IETF draft, on every attempt")
            .post("/pay", "100")
            .retry(b -> b.idempotencyKeys(IdempotencyKeys.from(request -> "a\"b").quoted()))
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.key("\"a\\\"b\"")),
        keyed("the header of a preset")
            .retry(b -> b.idempotencyKeys(IdempotencyKeys.payPal()))
            .keyHeader("PayPal-Request-Id")
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.sent(HEADER, "-", "-")),
        row("the hash of the request, body included")
            .post("/pay?b=1", "100")
            .header("X-User", "7")
            .retry(b -> b.idempotencyKeys(IdempotencyKeys.requestHash("X-User")))
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.key("hash")));
  }

  private static List<Scenario> answers() {
    return List.of(
        keyed("POST with a key, 422: the key was used for another request")
            .replies(status(422).body("reused"))
            .answers(422, "reused")
            .endsAfter("422 ERROR_STATUS answered", "KEY_REUSED 1"),
        keyed("POST with a key, 422 with x-should-retry: true: final all the same")
            .replies(status(422).header("x-should-retry", "true"))
            .answers(422, "")
            .endsAfter("422 ERROR_STATUS answered", "KEY_REUSED 1"),
        keyed("POST with a key, lost response, then a marked replay")
            .replies(Reply.closeAfterRequest(), OK.header("Idempotent-Replayed", "true"))
            .retriedAfter(LOST)
            .trace(
                "attempt 1: CONNECTION_LOST unknown",
                "wait 100ms backoff",
                "attempt 2: 200",
                "done ACCEPTED 2 replayed"),
        row("a marked replay at once: another process was first")
            .post("/pay", "100")
            .header(HEADER, "mine")
            .retry(b -> b.signals(ResponseSignals.standard().withReplayMarker("X-Seen-Before")))
            .replies(OK.header("x-seen-before", "TRUE"))
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1 replayed")
            .expect(e -> e.key("mine")));
  }

  private static List<Scenario> refused() {
    return List.of(
        row("two key lines: IllegalArgumentException, nothing is sent")
            .post("/pay", "100")
            .header(HEADER, "one")
            .header(HEADER, "two")
            .neverBegins(ILLEGAL_ARGUMENT),
        row("a key with a control character: IllegalArgumentException, nothing is sent")
            .post("/pay", "100")
            .header(HEADER, "a\u0001b")
            .neverBegins(ILLEGAL_ARGUMENT),
        row("a minted key out of its range: IllegalArgumentException, nothing is sent")
            .post("/pay", "100")
            .retry(b -> b.idempotencyKeys(IdempotencyKeys.from(request -> "k".repeat(256))))
            .neverBegins(ILLEGAL_ARGUMENT),
        row("a key function that throws: its exception, nothing is sent")
            .post("/pay", "100")
            .retry(b ->
                b.idempotencyKeys(
                    IdempotencyKeys.from(request -> {
                      throw new ScenarioOutcome.UserCodeException();
                    })))
            .neverBegins(USER));
  }
}
