package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.StandardRules;
import java.util.ArrayList;
import java.util.List;

/** Requests that a resend could give a second effect: law 1 (never twice). */
final class UnsafeMethodRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";

  private UnsafeMethodRows() {}

  static List<Scenario> rows() {
    List<Scenario> rows = new ArrayList<>();
    for (int code : List.of(408, 500, 502, 504)) {
      rows.add(
          row("POST without a key, " + code + ": never sent again")
              .trap(15)
              .post("/pay", "100")
              .replies(status(code).body("oops"))
              .answers(code, "oops")
              .endsAfter(code + " ERROR_STATUS answered", "NOT_REPLAYABLE 1"));
    }
    rows.addAll(unavailable());
    rows.addAll(unprocessed());
    rows.addAll(vouched());
    rows.addAll(paid());
    return rows;
  }

  private static List<Scenario> unavailable() {
    return List.of(
        row("POST without a key, 503: never sent again")
            .trap(15)
            .post("/pay", "100")
            .replies(status(503).body("oops"))
            .answers(503, "oops")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1"),
        row("POST without a key, 503 + Retry-After: a gateway may have passed it on")
            .post("/pay", "100")
            .replies(status(503).header("Retry-After", "1").body("oops"))
            .answers(503, "oops")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1 server delay 1s"),
        row("POST without a key, 503 + Retry-After: 0: the client's own resend is suppressed")
            .post("/pay", "100")
            .replies(status(503).header("Retry-After", "0").body("oops"))
            .answers(503, "oops")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1 server delay 0s"),
        row("POST without a key, 408 + Retry-After: 0: the client's own resend is suppressed")
            .post("/pay", "100")
            .replies(status(408).header("Retry-After", "0").body("oops"))
            .answers(408, "oops")
            .endsAfter("408 ERROR_STATUS answered", "NOT_REPLAYABLE 1 server delay 0s"),
        row("GET, 503 + Retry-After: 0 three times: three requests, all of them ours")
            .get("/a")
            .replies(at0(), at0(), at0().body("last"))
            .answers(503, "last")
            .endsAfter(
                UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, "ATTEMPTS_EXHAUSTED 3 server delay 0s"),
        row("GET, 408 three times: three requests, all of them ours")
            .get("/a")
            .replies(status(408), status(408), status(408).body("last"))
            .answers(408, "last")
            .endsAfter(
                "408 ERROR_STATUS answered",
                "408 ERROR_STATUS answered",
                "408 ERROR_STATUS answered",
                "ATTEMPTS_EXHAUSTED 3"),
        row("POST without a key, 503 + Retry-After, trust503WithRetryAfter: this server means it")
            .post("/pay", "100")
            .retry(b -> b.classifier(StandardRules.builder().trust503WithRetryAfter(true).build()))
            .replies(status(503).header("Retry-After", "1"), OK)
            .retriedAfter("503 UNAVAILABLE refused", "wait 1s server delay"),
        row("POST without a key, 503 without a server delay, trust503WithRetryAfter: never")
            .post("/pay", "100")
            .retry(b -> b.classifier(StandardRules.builder().trust503WithRetryAfter(true).build()))
            .replies(status(503))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1"),
        row("POST without a key, 529 then 200, refusedBy(529): this server did nothing")
            .post("/prompt", "100")
            .retry(b -> b.classifier(StandardRules.builder().refusedBy(529).build()))
            .replies(status(529), OK)
            .retriedAfter("529 THROTTLED refused"),
        row("POST without a key, 503, refusedBy(529): only the status that it names")
            .post("/prompt", "100")
            .retry(b -> b.classifier(StandardRules.builder().refusedBy(529).build()))
            .replies(status(503))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1"));
  }

  private static Reply at0() {
    return status(503).header("Retry-After", "0");
  }

  private static List<Scenario> unprocessed() {
    return List.of(
        row("POST without a key, 429 then 200: a rate limiter answers before the work")
            .post("/pay", "100")
            .replies(status(429), OK)
            .retriedAfter("429 THROTTLED refused"),
        row("POST without a key, 429, strictThrottling: that is convention and no guarantee")
            .post("/pay", "100")
            .retry(b -> b.classifier(StandardRules.builder().strictThrottling(true).build()))
            .replies(status(429).body("slow down"))
            .answers(429, "slow down")
            .endsAfter("429 THROTTLED answered", "NOT_REPLAYABLE 1"),
        row("PUT, 429 then 200, strictThrottling: replayable, so retried")
            .put("/a", "body")
            .retry(b -> b.classifier(StandardRules.builder().strictThrottling(true).build()))
            .replies(status(429), OK)
            .retriedAfter("429 THROTTLED answered"),
        row("POST without a key, 425 then 200: refused unprocessed")
            .post("/pay", "100")
            .replies(status(425), OK)
            .retriedAfter("425 TOO_EARLY refused"),
        row("POST without a key, 503 with Finagle's nack then 200: refused unprocessed")
            .post("/pay", "100")
            .replies(status(503).header("finagle-http-nack", "true"), OK)
            .retriedAfter("503 UNAVAILABLE refused"),
        row("POST without a key, 503 with Finagle's final nack: unprocessed, and told to stop")
            .post("/pay", "100")
            .replies(status(503).header("finagle-http-nonretryable-nack", "true").body("no"))
            .answers(503, "no")
            .endsAfter("503 UNAVAILABLE refused", "DO_NOT_RETRY 1"));
  }

  /** The server may bill each attempt that is not proven unprocessed. */
  private static List<Scenario> paid() {
    Reply lost = Reply.closeAfterRequest();
    return List.of(
        row("POST without a key and the caller's word, 503 twice: one paid repeat by default")
            .post("/prompt", "text")
            .options(RetryOptions.builder().replayable(true))
            .replies(status(503), status(503).body("last"))
            .answers(503, "last")
            .endsAfter(UNAVAILABLE, UNAVAILABLE, "ATTEMPTS_EXHAUSTED 2"),
        row("POST without a key and the caller's word, lost twice: one paid repeat by default")
            .post("/prompt", "text")
            .options(RetryOptions.builder().replayable(true))
            .replies(lost, lost)
            .fails(CONNECTION_LOST)
            .endsAfter(
                "CONNECTION_LOST unknown", "CONNECTION_LOST unknown", "ATTEMPTS_EXHAUSTED 2"),
        row("POST without a key and the caller's word, paidRepeats(0), lost: never sent again")
            .post("/prompt", "text")
            .options(RetryOptions.builder().replayable(true).paidRepeats(0))
            .replies(lost)
            .fails(CONNECTION_LOST)
            .endsAfter("CONNECTION_LOST unknown", "ATTEMPTS_EXHAUSTED 1"),
        row("POST without a key and the caller's word, 429, lost, then 200: a refusal is not paid")
            .post("/prompt", "text")
            .options(RetryOptions.builder().replayable(true))
            .replies(status(429), lost, OK)
            .answers(200, "ok")
            .endsAfter("429 THROTTLED refused", "CONNECTION_LOST unknown", "200", "ACCEPTED 3"),
        row("POST with a key and the caller's word, 503 twice: the key protects it")
            .post("/prompt", "text")
            .options(RetryOptions.builder().replayable(true).idempotencyKey("k1"))
            .replies(status(503), status(503), OK)
            .answers(200, "ok")
            .endsAfter(UNAVAILABLE, UNAVAILABLE, "200", "ACCEPTED 3")
            .expect(e -> e.key("k1")));
  }

  private static List<Scenario> vouched() {
    return List.of(
        row("PATCH without a key, 500: never sent again")
            .call(HttpCall.of("PATCH", "/a").body(HttpCall.Form.REPEATABLE, "body"))
            .replies(status(500))
            .answers(500, "")
            .endsAfter("500 ERROR_STATUS answered", "NOT_REPLAYABLE 1"),
        row("POST, 500 then 200, the caller says that it only reads: retried")
            .post("/search", "query")
            .options(RetryOptions.builder().replayable(true))
            .replies(status(500), OK)
            .retriedAfter("500 ERROR_STATUS answered"),
        row("POST without a body and without a key, 500: never sent again")
            .post("/pay", "")
            .replies(status(500))
            .answers(500, "")
            .endsAfter("500 ERROR_STATUS answered", "NOT_REPLAYABLE 1"));
  }
}
