package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.ms;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.REFUSED_BY_GUARD;
import static dev.steadfast.retry.tck.StatusRows.OK;

import java.util.ArrayList;
import java.util.List;

/** Breakers and bulkheads: asked before a wait, passed by every attempt, always answered. */
final class GuardRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final Reply BUSY = status(503);

  private GuardRows() {}

  static List<Scenario> rows() {
    List<Scenario> rows = new ArrayList<>(refusals());
    for (int code : List.of(404, 409, 429)) {
      rows.add(
          row("a guard does not count " + code + " as a failure of the server's health")
              .post("/a", "body")
              .policy(p -> p.maxAttempts(1))
              .replies(status(code))
              .answers(code, "")
              .endsAfter(code + kind(code), reason(code))
              .expect(e -> e.permits("succeeded")));
    }
    rows.add(
        row("a guard counts a 500 that is not retried")
            .post("/a", "body")
            .replies(status(500))
            .answers(500, "")
            .endsAfter("500 ERROR_STATUS answered", "NOT_REPLAYABLE 1")
            .expect(e -> e.permits("failed")));
    return rows;
  }

  private static String kind(int code) {
    return switch (code) {
      case 409 -> " CONFLICT answered";
      case 429 -> " THROTTLED refused";
      default -> " ERROR_STATUS answered";
    };
  }

  private static String reason(int code) {
    return code == 429 ? "ATTEMPTS_EXHAUSTED 1" : "NOT_RETRYABLE 1";
  }

  private static List<Scenario> refusals() {
    return List.of(
        row("a guard that would refuse, asked before the wait: the last answer is whole")
            .get("/a")
            .guard(guard -> guard.refuseWhenAsked(1))
            .replies(BUSY.body("whole"))
            .answers(503, "whole")
            .endsAfter(UNAVAILABLE, "GUARD_REFUSED 1")
            .expect(e -> e.permits("failed").budget("FAILED")),
        row("a guard that would refuse, asked before the wait: the last exception")
            .put("/a", "body")
            .guard(guard -> guard.refuseWhenAsked(1))
            .replies(Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter("CONNECTION_LOST unknown", "GUARD_REFUSED 1"),
        row("a guard that refuses the first attempt: nothing is sent")
            .get("/a")
            .guard(guard -> guard.refuseAttempt(1))
            .fails(REFUSED_BY_GUARD)
            .requests(0)
            .trace("done GUARD_REFUSED 0")
            .expect(e -> e.permits().budget("UNKNOWN")),
        row("a guard that refuses after the wait: what the last answer said, and the token back")
            .get("/a")
            .guard(guard -> guard.refuseAttempt(2))
            .replies(BUSY.header("Retry-After", "2"))
            .requests(1)
            .trace(
                "attempt 1: 503 UNAVAILABLE answered",
                "wait 2s server delay",
                "done GUARD_REFUSED 1 server delay 2s")
            .expect(e ->
                e.refusedAfter(503, " server delay 2s")
                    .permits("failed")
                    .budget("took 1 UNAVAILABLE, gave back, UNKNOWN")),
        row("a guard that refuses after the wait that followed an exception")
            .put("/a", "body")
            .guard(guard -> guard.refuseAttempt(2))
            .replies(Reply.closeAfterRequest())
            .fails(REFUSED_BY_GUARD)
            .requests(1)
            .trace(
                "attempt 1: CONNECTION_LOST unknown", "wait 100ms backoff", "done GUARD_REFUSED 1")
            .expect(e -> e.budget("took 1 CONNECTION_LOST, gave back, UNKNOWN")),
        row("a second guard that refuses: the first one's permit is released")
            .get("/a")
            .retry(b -> b.guard(refusing()))
            .fails(REFUSED_BY_GUARD)
            .requests(0)
            .trace("done GUARD_REFUSED 0")
            .expect(e -> e.permits("released")),
        row("a guard that will admit again later than the backoff ends: waited for")
            .get("/a")
            .guard(guard -> guard.admitsAfter(1, ms(500)))
            .replies(BUSY, OK)
            .retriedAfter(UNAVAILABLE, "wait 500ms guard"),
        row("a guard that will admit again before the backoff ends: the backoff")
            .get("/a")
            .guard(guard -> guard.admitsAfter(1, ms(60)))
            .replies(BUSY, OK)
            .retriedAfter(UNAVAILABLE),
        row("a guard that will admit again after the deadline: the last answer is whole")
            .get("/a")
            .policy(p -> p.totalTimeout(ms(400)))
            .notFor(
                Trait.OWN_TIMEOUTS,
                "its attempts are bounded in real time, and a slow machine may need more than that")
            .guard(guard -> guard.admitsAfter(1, ms(500)))
            .replies(BUSY.body("whole"))
            .answers(503, "whole")
            .endsAfter(UNAVAILABLE, "GUARD_REFUSED 1"),
        row("a guard that refuses the first attempt and says when it will admit it: waited for")
            .get("/a")
            .guard(guard -> {
              guard.refuseAttempt(1);
              guard.admitsAfter(1, ms(500));
            })
            .replies(OK)
            .answers(200, "ok")
            .requests(1)
            .trace("wait 500ms guard", "attempt 1: 200", "done ACCEPTED 1")
            .expect(e -> e.permits("succeeded").budget("SUCCEEDED")),
        row("a guard is not asked where nothing is retried")
            .get("/a")
            .guard(guard -> guard.refuseWhenAsked(1))
            .replies(OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1")
            .expect(e -> e.permits("succeeded")));
  }

  private static CountingGuard refusing() {
    CountingGuard guard = new CountingGuard();
    guard.refuseAttempt(1);
    return guard;
  }
}
