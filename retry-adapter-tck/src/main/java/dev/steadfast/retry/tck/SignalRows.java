package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.http.ResponseSignals;
import dev.steadfast.retry.http.StandardRules;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Rows about the words with which a server allows or forbids a retry, beside its status
 * (docs/what-is-retried.md, "What the server can ask for").
 */
final class SignalRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final String MISSING = "404 ERROR_STATUS answered";

  private SignalRows() {}

  static List<Scenario> rows() {
    return Stream.of(notToRetry(), toRetry(), limits()).flatMap(List::stream).toList();
  }

  private static Scenario stopped(String name, int code, String header, String value) {
    return row(name)
        .get("/a")
        .replies(status(code).header(header, value).body("stop"))
        .answers(code, "stop")
        .endsAfter(code + kind(code), "DO_NOT_RETRY 1");
  }

  private static String kind(int code) {
    return switch (code) {
      case 429 -> " THROTTLED refused";
      case 503 -> " UNAVAILABLE answered";
      default -> " ERROR_STATUS answered";
    };
  }

  private static List<Scenario> notToRetry() {
    return List.of(
        stopped("x-should-retry: false stops", 503, "x-should-retry", "false"),
        stopped("x-should-retry: FALSE stops too", 500, "X-Should-Retry", "FALSE"),
        stopped("Stripe-Should-Retry: false stops", 500, "Stripe-Should-Retry", "false"),
        stopped("Qos-Retry-Hint: do-not-retry stops a 429", 429, "Qos-Retry-Hint", "do-not-retry"),
        stopped("Qos-Retry-Hint: do-not-retry stops a 503", 503, "Qos-Retry-Hint", "do-not-retry"),
        row("Qos-Retry-Hint on any other status says nothing")
            .get("/a")
            .replies(status(500).header("Qos-Retry-Hint", "do-not-retry"), OK)
            .retriedAfter("500 ERROR_STATUS answered"),
        row("x-should-retry: maybe says nothing")
            .get("/a")
            .replies(status(503).header("x-should-retry", "maybe"), OK)
            .retriedAfter(UNAVAILABLE),
        row("one header says to retry and one not to: not retried")
            .get("/a")
            .replies(
                status(503).header("x-should-retry", "true").header("Stripe-Should-Retry", "false"))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "DO_NOT_RETRY 1"),
        stopped("a header of one's own that says not to retry", 503, "x-done", "yes")
            .retry(
                b -> b.signals(ResponseSignals.standard().withShouldRetry("X-Done", "yes", false))),
        stopped("a header whose presence says not to retry", 429, "x-envoy-ratelimited", "true")
            .retry(
                b -> b.signals(ResponseSignals.standard().withDoNotRetry("X-Envoy-RateLimited"))),
        stopped("such a header without a value", 503, "x-envoy-ratelimited", "")
            .retry(
                b -> b.signals(ResponseSignals.standard().withDoNotRetry("x-envoy-ratelimited"))),
        row("such a header that the configuration does not name says nothing")
            .get("/a")
            .replies(status(429).header("x-envoy-ratelimited", "true"), OK)
            .retriedAfter("429 THROTTLED refused"),
        row("not to retry, beside a server delay: not retried, the delay is exposed")
            .get("/a")
            .replies(status(503).header("x-should-retry", "false").header("Retry-After", "2"))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "DO_NOT_RETRY 1 server delay 2s"));
  }

  private static List<Scenario> toRetry() {
    Reply again = status(404).header("x-should-retry", "true").body("not yet");
    return List.of(
        row("GET, 404 with x-should-retry: true then 200: it lifts a permanent status")
            .get("/a")
            .replies(again, OK)
            .retriedAfter(MISSING),
        row("GET, 404 with Stripe-Should-Retry: true then 200")
            .get("/a")
            .replies(status(404).header("Stripe-Should-Retry", "true"), OK)
            .retriedAfter(MISSING),
        row("a header of one's own that says to retry")
            .get("/a")
            .retry(b ->
                b.signals(ResponseSignals.standard().withShouldRetry("x-again", "please", true)))
            .replies(status(404).header("X-Again", "please"), OK)
            .retriedAfter(MISSING),
        row("POST without a key, 404 with x-should-retry: true: nothing becomes replayable")
            .post("/pay", "100")
            .replies(again)
            .answers(404, "not yet")
            .endsAfter(MISSING, "NOT_REPLAYABLE 1"),
        row("POST without a key, 503 with x-should-retry: true: not retried")
            .post("/pay", "100")
            .replies(status(503).header("x-should-retry", "true"))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1"),
        row("POST without a key, 503 with x-should-retry: true, trustShouldRetryForUnsafeMethods: retried")
            .post("/pay", "100")
            .retry(b ->
                b.classifier(
                    StandardRules.builder().trustShouldRetryForUnsafeMethods(true).build()))
            .replies(status(503).header("x-should-retry", "true"), OK)
            .retriedAfter("503 UNAVAILABLE refused"));
  }

  private static List<Scenario> limits() {
    Reply again = status(404).header("x-should-retry", "true");
    return List.of(
        row("x-should-retry: true does not beat the number of attempts")
            .get("/a")
            .policy(p -> p.maxAttempts(2))
            .replies(again, again.body("last"))
            .answers(404, "last")
            .endsAfter(MISSING, MISSING, "ATTEMPTS_EXHAUSTED 2"),
        row("x-should-retry: true does not beat the deadline")
            .get("/a")
            .policy(p ->
                p.totalTimeout(Duration.ofSeconds(50))
                    .backoff(Backoff.fixed(Duration.ofSeconds(60))))
            .replies(again)
            .answers(404, "")
            .endsAfter(MISSING, "DEADLINE 1"),
        row("x-should-retry: true does not beat the budget")
            .get("/a")
            .tokens(0)
            .replies(again)
            .answers(404, "")
            .endsAfter(MISSING, "BUDGET_EXHAUSTED 1"));
  }
}
