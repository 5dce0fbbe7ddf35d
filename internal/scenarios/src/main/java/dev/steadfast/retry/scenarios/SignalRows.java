package dev.steadfast.retry.scenarios;

import static dev.steadfast.retry.scenarios.Reply.status;
import static dev.steadfast.retry.scenarios.Scenario.row;
import static dev.steadfast.retry.scenarios.StatusRows.OK;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.http.StandardRules;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What a server says about retrying beside its status (design.md section 5, "signals read"). */
final class SignalRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final String MISSING = "404 ERROR_STATUS answered";

  private SignalRows() {}

  static List<Scenario> rows() {
    return Stream.of(stops(), goes(), limits()).flatMap(List::stream).toList();
  }

  private static Scenario stopped(String name, int code, String header, String value) {
    return row(name)
        .get("/a")
        .replies(status(code).header(header, value).body("stop"))
        .answers(code, "stop")
        .endsAfter(code + kind(code), "TOLD_NOT_TO_RETRY 1");
  }

  private static String kind(int code) {
    return switch (code) {
      case 429 -> " THROTTLED refused";
      case 503 -> " UNAVAILABLE answered";
      default -> " ERROR_STATUS answered";
    };
  }

  private static List<Scenario> stops() {
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
        row("any stop beats any go")
            .get("/a")
            .replies(
                status(503).header("x-should-retry", "true").header("Stripe-Should-Retry", "false"))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "TOLD_NOT_TO_RETRY 1"),
        stopped("a stop signal of one's own", 503, "x-done", "yes")
            .retry(b -> b.stopSignal("X-Done", "yes")),
        row("a stop beside a server delay: stopped, the delay is exposed")
            .get("/a")
            .replies(status(503).header("x-should-retry", "false").header("Retry-After", "2"))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "TOLD_NOT_TO_RETRY 1 server delay 2s"));
  }

  private static List<Scenario> goes() {
    Reply go = status(404).header("x-should-retry", "true").body("not yet");
    return List.of(
        row("GET, 404 with x-should-retry: true then 200: a go lifts a permanent status")
            .get("/a")
            .replies(go, OK)
            .retriedAfter(MISSING),
        row("GET, 404 with Stripe-Should-Retry: true then 200")
            .get("/a")
            .replies(status(404).header("Stripe-Should-Retry", "true"), OK)
            .retriedAfter(MISSING),
        row("a go signal of one's own")
            .get("/a")
            .retry(b -> b.goSignal("x-again", "please"))
            .replies(status(404).header("X-Again", "please"), OK)
            .retriedAfter(MISSING),
        row("POST without a key, 404 with a go: a go makes nothing replayable")
            .post("/pay", "100")
            .replies(go)
            .answers(404, "not yet")
            .endsAfter(MISSING, "NOT_REPLAYABLE 1"),
        row("POST without a key, 503 with a go: not on a mere go")
            .post("/pay", "100")
            .replies(status(503).header("x-should-retry", "true"))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1"),
        row("POST without a key, 503 with a go, trustGoForUnsafeMethods: retried")
            .post("/pay", "100")
            .retry(b -> b.classifier(StandardRules.builder().trustGoForUnsafeMethods(true).build()))
            .replies(status(503).header("x-should-retry", "true"), OK)
            .retriedAfter("503 UNAVAILABLE refused"));
  }

  private static List<Scenario> limits() {
    Reply go = status(404).header("x-should-retry", "true");
    return List.of(
        row("a go does not beat the number of attempts")
            .get("/a")
            .policy(p -> p.maxAttempts(2))
            .replies(go, go.body("last"))
            .answers(404, "last")
            .requests(2)
            .trace(
                "attempt 1: 404 ERROR_STATUS answered",
                "wait 100ms backoff",
                "attempt 2: 404 ERROR_STATUS answered",
                "done ATTEMPTS_EXHAUSTED 2"),
        row("a go does not beat the deadline")
            .get("/a")
            .policy(p ->
                p.totalTimeout(Duration.ofSeconds(50))
                    .backoff(Backoff.fixed(Duration.ofSeconds(60))))
            .replies(go)
            .answers(404, "")
            .endsAfter(MISSING, "DEADLINE 1"),
        row("a go does not beat the budget")
            .get("/a")
            .tokens(0)
            .replies(go)
            .answers(404, "")
            .endsAfter(MISSING, "BUDGET_EXHAUSTED 1"));
  }
}
