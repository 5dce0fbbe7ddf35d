package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.ms;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.TIMEOUT;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.RetryOptions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** How many attempts, how long each, and the waits between them. */
final class AttemptRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final String SLOW = "TIMEOUT unknown";
  private static final Reply BUSY = status(503);

  /** The interceptor bounds its attempts by read timeouts, which take real time. */
  private static final Duration SHORT = ms(500);

  private static final Duration LONG = ms(10_000);

  private AttemptRows() {}

  static List<Scenario> rows() {
    return Stream.of(counts(), backoffs(), timeouts()).flatMap(List::stream).toList();
  }

  private static List<Scenario> counts() {
    return List.of(
        row("503 until the attempts are used up: the last answer, unread")
            .trap(16, 19)
            .get("/a")
            .replies(BUSY.body("1"), BUSY.body("2"), BUSY.body("3"))
            .answers(503, "3")
            .endsAfter(UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, "ATTEMPTS_EXHAUSTED 3")
            .expect(e -> e.permits("failed", "failed", "failed").connections(1)),
        row("503, one attempt allowed")
            .get("/a")
            .policy(p -> p.maxAttempts(1))
            .replies(BUSY.body("1"))
            .answers(503, "1")
            .endsAfter(UNAVAILABLE, "ATTEMPTS_EXHAUSTED 1"),
        row("503, noRetry for this call")
            .get("/a")
            .options(RetryOptions.builder().noRetry())
            .replies(BUSY.body("1"))
            .answers(503, "1")
            .endsAfter(UNAVAILABLE, "ATTEMPTS_EXHAUSTED 1"),
        row("503 twice, another policy for this call")
            .get("/a")
            .options(
                RetryOptions.builder()
                    .policy(
                        RetryPolicy.builder().maxAttempts(2).backoff(Backoff.fixed(ms(7))).build()))
            .replies(BUSY, BUSY.body("2"))
            .answers(503, "2")
            .requests(2)
            .trace(
                "attempt 1: 503 UNAVAILABLE answered",
                "wait 7ms backoff",
                "attempt 2: 503 UNAVAILABLE answered",
                "done ATTEMPTS_EXHAUSTED 2"));
  }

  private static Scenario waits(String name, Backoff backoff, String first, String second) {
    return row(name)
        .get("/a")
        .policy(p -> p.backoff(backoff))
        .replies(BUSY, BUSY, OK)
        .answers(200, "ok")
        .requests(3)
        .trace(
            "attempt 1: 503 UNAVAILABLE answered",
            "wait " + first + " backoff",
            "attempt 2: 503 UNAVAILABLE answered",
            "wait " + second + " backoff",
            "attempt 3: 200",
            "done ACCEPTED 3");
  }

  private static Scenario drawingHighest(Scenario row) {
    return row.retry((b, run) -> b.environment(run.time().environment(() -> -1L)));
  }

  private static List<Scenario> backoffs() {
    return List.of(
        waits("full jitter that draws low: no wait, no floor", jitter(100, 150), "0s", "0s")
            .trap(6),
        drawingHighest(
                waits(
                    "full jitter that draws high: the cap is never exceeded",
                    jitter(100, 150),
                    "100ms",
                    "150ms"))
            .trap(7),
        drawingHighest(
                waits(
                    "equal jitter beyond the cap still spreads: capped first, then drawn",
                    Backoff.equalJitter(ms(120), ms(120)),
                    "60ms",
                    "60ms"))
            .trap(5),
        drawingHighest(
            waits(
                "decorrelated jitter grows from what was waited",
                Backoff.decorrelatedJitter(ms(100), ms(500)),
                "300ms",
                "500ms")),
        waits("no backoff: at once, told all the same", Backoff.none(), "0s", "0s"),
        waits("linear backoff", Backoff.linear(ms(30), ms(1000)), "30ms", "60ms"),
        row("429 then 503, with a longer backoff after throttling")
            .get("/a")
            .policy(p -> p.backoff(FailureKind.THROTTLED, Backoff.fixed(ms(1000))))
            .replies(status(429), BUSY, OK)
            .answers(200, "ok")
            .requests(3)
            .trace(
                "attempt 1: 429 THROTTLED refused",
                "wait 1s backoff",
                "attempt 2: 503 UNAVAILABLE answered",
                "wait 200ms backoff",
                "attempt 3: 200",
                "done ACCEPTED 3"));
  }

  private static Backoff jitter(long base, long cap) {
    return Backoff.fullJitter(ms(base), ms(cap));
  }

  private static Scenario stalling(String name) {
    return row(name)
        .put("/a", "body")
        .policy(p -> p.attemptTimeouts(List.of(SHORT, LONG)))
        .at(Scenario.Moment.REQUEST, run -> run.advance(SHORT));
  }

  private static List<Scenario> timeouts() {
    return List.of(
        stalling("PUT, silence then 200: the attempt is timed out and retried")
            .replies(Reply.stallAfterRequest(), OK)
            .retriedAfter(SLOW)
            .expect(e -> e.permits("failed", "succeeded")),
        stalling("POST without a key, silence: it may have been processed")
            .post("/pay", "100")
            .replies(Reply.stallAfterRequest())
            .fails(TIMEOUT)
            .endsAfter(SLOW, "NOT_REPLAYABLE 1"),
        stalling("GET, silence then 200")
            .get("/a")
            .replies(Reply.stallAfterRequest(), OK)
            .retriedAfter(SLOW),
        stalling("PUT, silence on every attempt: the timeout of the last one")
            .policy(p -> p.attemptTimeout(SHORT).maxAttempts(2))
            .replies(Reply.stallAfterRequest(), Reply.stallAfterRequest())
            .at(Scenario.Moment.REQUEST, 2, run -> run.advance(SHORT))
            .fails(TIMEOUT)
            .endsAfter(SLOW, SLOW, "ATTEMPTS_EXHAUSTED 2"),
        stalling("PUT, a timeout for each attempt")
            .policy(p -> p.attemptTimeouts(List.of(SHORT, SHORT.dividedBy(2), LONG)))
            .replies(Reply.stallAfterRequest(), Reply.stallAfterRequest(), OK)
            .at(Scenario.Moment.REQUEST, 2, run -> run.advance(SHORT.dividedBy(2)))
            .answers(200, "ok")
            .endsAfter(SLOW, SLOW, "200", "ACCEPTED 3"),
        row("GET, response lost, then silence")
            .trap(13)
            .get("/a")
            .policy(p -> p.attemptTimeouts(List.of(LONG, SHORT, LONG)))
            .replies(Reply.closeAfterRequest(), Reply.stallAfterRequest(), OK)
            .at(Scenario.Moment.REQUEST, 2, run -> run.advance(LONG))
            .answers(200, "ok")
            .endsAfter("CONNECTION_LOST unknown", SLOW, "200", "ACCEPTED 3")
            .differs(
                Trait.RESENDS_READS,
                "the client resends the GET by itself, within one attempt and its one timeout",
                e ->
                    e.trace(
                        "attempt 1: TIMEOUT unknown",
                        "wait 100ms backoff",
                        "attempt 2: 200",
                        "done ACCEPTED 2")));
  }
}
