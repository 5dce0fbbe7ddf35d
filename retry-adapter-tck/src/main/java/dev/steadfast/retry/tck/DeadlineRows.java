package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.ms;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.TIMEOUT;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.http.RetryOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One monotonic deadline over attempts and waits: law 3 (never late). */
final class DeadlineRows {
  private static final Reply BUSY = status(503);

  private DeadlineRows() {}

  static List<Scenario> rows() {
    return Stream.of(beforeWaits(), withinAttempts(), clocks()).flatMap(List::stream).toList();
  }

  private static List<Scenario> beforeWaits() {
    return List.of(
        row("a wait that would pass the deadline is not begun: the last answer")
            .trap(11)
            .get("/a")
            .policy(p -> p.totalTimeout(ms(250)))
            .replies(BUSY, BUSY.body("2"))
            .answers(503, "2")
            .endsAfter("503 UNAVAILABLE answered", "503 UNAVAILABLE answered", "DEADLINE 2"),
        row("a wait that would pass the deadline is not begun: the last exception")
            .trap(11)
            .put("/a", "body")
            .policy(p -> p.totalTimeout(ms(50)))
            .replies(Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter("CONNECTION_LOST unknown", "DEADLINE 1"),
        row("a wait must leave time for a minimal attempt")
            .get("/a")
            .policy(p -> p.totalTimeout(ms(150)).minimumAttempt(ms(51)))
            .replies(BUSY)
            .answers(503, "")
            .endsAfter("503 UNAVAILABLE answered", "DEADLINE 1"),
        row("a wait that leaves just that time is begun")
            .get("/a")
            .policy(p -> p.totalTimeout(ms(150)).minimumAttempt(ms(50)))
            .replies(BUSY, OK)
            .retriedAfter("503 UNAVAILABLE answered"),
        row("the deadline of a call is the smaller bound")
            .get("/a")
            .options(RetryOptions.builder().deadline(ms(50)))
            .replies(BUSY.body("1"))
            .answers(503, "1")
            .endsAfter("503 UNAVAILABLE answered", "DEADLINE 1"),
        row("the deadline of a call does not extend the policy's")
            .get("/a")
            .policy(p -> p.totalTimeout(ms(50)))
            .options(RetryOptions.builder().deadline(Duration.ofHours(1)))
            .replies(BUSY.body("1"))
            .answers(503, "1")
            .endsAfter("503 UNAVAILABLE answered", "DEADLINE 1"),
        row("no deadline at all: a wait of an hour")
            .get("/a")
            .policy(p -> p.noTotalTimeout().maxServerDelay(Duration.ofHours(2)))
            .replies(BUSY.header("Retry-After", "3600"), OK)
            .retriedAfter("503 UNAVAILABLE answered", "wait 3600s server delay"));
  }

  private static List<Scenario> withinAttempts() {
    return List.of(
        row("the deadline passes within the first attempt")
            .put("/a", "body")
            .policy(p -> p.totalTimeout(ms(500)))
            .replies(Reply.stallAfterRequest())
            .at(Scenario.Moment.REQUEST, run -> run.advance(ms(500)))
            .fails(TIMEOUT)
            .endsAfter("TIMEOUT unknown", "DEADLINE 1")
            .expect(e -> e.permits("failed").budget("FAILED")),
        row("the deadline passes within the first attempt of a POST without a key")
            .post("/pay", "100")
            .policy(p -> p.totalTimeout(ms(500)))
            .replies(Reply.stallAfterRequest())
            .at(Scenario.Moment.REQUEST, run -> run.advance(ms(500)))
            .fails(TIMEOUT)
            .endsAfter("TIMEOUT unknown", "DEADLINE 1"),
        row("the deadline passes within the second attempt, before its own timeout")
            .put("/a", "body")
            .policy(p -> p.totalTimeout(ms(10_000)).attemptTimeout(ms(10_000)))
            .replies(BUSY, Reply.stallAfterRequest())
            .at(Scenario.Moment.BEFORE_WAIT, run -> run.advance(ms(9_500)))
            .at(Scenario.Moment.REQUEST, 2, run -> run.advance(ms(500)))
            .fails(TIMEOUT)
            .endsAfter("503 UNAVAILABLE answered", "TIMEOUT unknown", "DEADLINE 2")
            .expect(e -> e.permits("failed", "failed").budget("took 1 UNAVAILABLE, FAILED")),
        row("the deadline passes as a wait that took too long ends: no attempt past it")
            .trap(11)
            .get("/a")
            .policy(p -> p.totalTimeout(ms(100_000)))
            .replies(BUSY)
            .at(Scenario.Moment.BEFORE_WAIT, run -> run.advance(ms(100_000)))
            .fails(TIMEOUT)
            .requests(1)
            .trace("attempt 1: 503 UNAVAILABLE answered", "wait 100ms backoff", "done DEADLINE 1")
            .expect(e -> e.budget("took 1 UNAVAILABLE, gave back, FAILED")),
        row("a slow attempt uses up the time of the next")
            .get("/a")
            .policy(p -> p.totalTimeout(ms(100_000)).attemptTimeout(ms(100_000)))
            .replies(BUSY.body("1"))
            .at(Scenario.Moment.REQUEST, run -> run.advance(ms(99_950)))
            .answers(503, "1")
            .endsAfter("503 UNAVAILABLE answered", "DEADLINE 1"));
  }

  private static List<Scenario> clocks() {
    return List.of(
        row("a wall clock that jumps an hour at each look: the deadline does not move")
            .trap(12)
            .get("/a")
            .retry((b, run) -> {
              AtomicInteger looks = new AtomicInteger();
              RetryEnvironment fake = run.time().environment();
              b.environment(
                  new RetryEnvironment(
                      fake.ticker(),
                      () -> Instant.EPOCH.plus(Duration.ofHours(looks.incrementAndGet())),
                      fake.random(),
                      fake.scheduler()));
            })
            .replies(BUSY, BUSY, OK)
            .answers(200, "ok")
            .endsAfter(
                "503 UNAVAILABLE answered", "503 UNAVAILABLE answered", "200", "ACCEPTED 3"));
  }
}
