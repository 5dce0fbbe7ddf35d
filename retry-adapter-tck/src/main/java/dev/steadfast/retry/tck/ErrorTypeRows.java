package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.http.StandardRules;
import java.util.List;

/** Answers that mean something else by the type of error in their body. */
final class ErrorTypeRows {
  private static final String OVERLOADED =
      "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"later\"}}";
  private static final String FULL =
      "{\"error\":{\"message\":\"later\",\"code\":\"server_is_overloaded\"}}";
  private static final String NO_MONEY =
      "{\"error\":{\"message\":\"pay\",\"type\":\"insufficient_quota\",\"code\":\"any\"}}";
  private static final String REFUSED = "529 THROTTLED refused";
  private static final String ANSWERED = "529 THROTTLED answered";
  private static final String NOT_REPLAYABLE = "NOT_REPLAYABLE 1";

  private ErrorTypeRows() {}

  private static Scenario post(String name) {
    return ruled(
        row("POST without a key, rules for types of error, " + name).post("/prompt", "text"));
  }

  private static Scenario get(String name) {
    return ruled(row("GET, rules for types of error, " + name).get("/a"));
  }

  private static Scenario ruled(Scenario row) {
    StandardRules rules =
        StandardRules.builder()
            .refusedBy(529, "overloaded_error")
            .refusedBy(503, "server_is_overloaded")
            .neverRetry(429, "insufficient_quota")
            .build();
    return row.retry(b -> b.classifier(rules))
        .notFor(Trait.GIVES_RULES_NO_BODY, "the rules see no body");
  }

  static List<Scenario> rows() {
    return List.of(
        post("529 of the type: refused, so retried")
            .replies(status(529).body(OVERLOADED), OK)
            .retriedAfter(REFUSED),
        post("529 of the type, in chunks: refused, so retried")
            .replies(status(529).body(OVERLOADED).chunked(), OK)
            .retriedAfter(REFUSED),
        post("529 of the type each time: the caller gets the whole body")
            .replies(
                status(529).body(OVERLOADED),
                status(529).body(OVERLOADED),
                status(529).body(OVERLOADED))
            .answers(529, OVERLOADED)
            .endsAfter(REFUSED, REFUSED, REFUSED, "ATTEMPTS_EXHAUSTED 3"),
        post("529 of a gateway: never sent again")
            .replies(status(529).body("<html>busy</html>"))
            .answers(529, "<html>busy</html>")
            .endsAfter(ANSWERED, NOT_REPLAYABLE),
        post("503 of its type: an overload like a 529, so retried")
            .replies(status(503).body(FULL), OK)
            .retriedAfter("503 THROTTLED refused"),
        post("503 of a type that is named for 529 alone: never sent again")
            .replies(status(503).body(OVERLOADED))
            .answers(503, OVERLOADED)
            .endsAfter("503 UNAVAILABLE answered", NOT_REPLAYABLE),
        post("529 without a body: never sent again")
            .replies(status(529))
            .answers(529, "")
            .endsAfter(ANSWERED, NOT_REPLAYABLE),
        post("529 of the type in a stream: a stream is not read")
            .replies(status(529).header("Content-Type", "text/event-stream").body(OVERLOADED))
            .answers(529, OVERLOADED)
            .endsAfter(ANSWERED, NOT_REPLAYABLE),
        post("529 of the type, the body is longer than 64 KiB: judged by its status")
            .replies(status(529).body(OVERLOADED + " ".repeat(70_000)))
            .answers(529, OVERLOADED + " ".repeat(70_000))
            .endsAfter(ANSWERED, NOT_REPLAYABLE),
        get("a body of the type that breaks off: its status is not missed")
            .replies(Reply.truncatedBody(529, 1000, OVERLOADED), OK)
            .retriedAfter(ANSWERED),
        get("a body without end: judged by its status")
            .replies(Reply.endlessBody(529), OK)
            .retriedAfter(ANSWERED),
        post("429: a rate limiter, so retried")
            .replies(status(429).body("{\"error\":{\"type\":\"rate_limit_error\"}}"), OK)
            .retriedAfter("429 THROTTLED refused"),
        post("429 that means money: never sent again, whatever it says")
            .replies(
                status(429)
                    .header("Retry-After", "1")
                    .header("x-should-retry", "true")
                    .body(NO_MONEY))
            .answers(429, NO_MONEY)
            .endsAfter("429 THROTTLED answered", "NOT_RETRYABLE 1 server delay 1s"));
  }
}
