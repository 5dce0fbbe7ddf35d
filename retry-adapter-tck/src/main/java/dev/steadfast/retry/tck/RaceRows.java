package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.ms;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CANCELLED;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.TIMEOUT;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.tck.Scenario.Moment;
import java.util.List;

/** Cancel, timer and response, two of them at the same moment: one settles the attempt. */
final class RaceRows {
  private static final String NO_HANDLE_WHY = "there is no handle to cancel";

  private RaceRows() {}

  static List<Scenario> rows() {
    return List.of(
        row("a response right after the attempt's timeout: closed, the retry goes on")
            .trap(17)
            .put("/a", "body")
            .policy(p -> p.attemptTimeout(ms(500)))
            .replies(run -> List.of(status(200).body("late").delayUntil(run.gate()), OK))
            .at(
                Moment.REQUEST,
                run -> {
                  run.advance(ms(500));
                  run.openGate();
                })
            .retriedAfter("TIMEOUT unknown")
            .notFor(
                Trait.OWN_TIMEOUTS,
                "its attempts end by a read timeout, which a response in time prevents"),
        row("a response right before the attempt's timeout: accepted")
            .put("/a", "body")
            .policy(p -> p.attemptTimeout(ms(10_000)))
            .replies(OK)
            .at(Moment.REQUEST, run -> run.advance(ms(9_999)))
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1"),
        answeredAfterCancellation("a response right after the cancellation: closed", 200),
        answeredAfterCancellation("a 503 right after the cancellation: closed, no wait", 503),
        row("the attempt's timeout right after the cancellation: cancelled")
            .put("/a", "body")
            .policy(p -> p.attemptTimeout(ms(10_000)))
            .replies(Reply.stallAfterRequest())
            .at(
                Moment.REQUEST,
                run -> {
                  run.cancel();
                  run.advance(ms(10_000));
                })
            .fails(CANCELLED)
            .endsAfter("OTHER unknown", "CANCELLED 1")
            .notFor(Trait.NO_CANCEL, NO_HANDLE_WHY),
        row("the end of a wait right after the cancellation: no attempt")
            .trap(17)
            .put("/a", "body")
            .replies(status(503))
            .at(
                Moment.IN_WAIT,
                run -> {
                  run.cancel();
                  run.advance(ms(100));
                })
            .fails(CANCELLED)
            .requests(1)
            .trace("attempt 1: 503 UNAVAILABLE answered", "wait 100ms backoff", "done CANCELLED 1")
            .notFor(Trait.NO_CANCEL, NO_HANDLE_WHY),
        row("the deadline and the attempt's timeout at the same moment: the deadline")
            .put("/a", "body")
            .policy(p -> p.attemptTimeout(ms(500)).totalTimeout(ms(500)))
            .replies(Reply.stallAfterRequest())
            .at(Moment.REQUEST, run -> run.advance(ms(500)))
            .fails(TIMEOUT)
            .endsAfter("TIMEOUT unknown", "DEADLINE 1"));
  }

  private static Scenario answeredAfterCancellation(String name, int status) {
    return row(name)
        .trap(17)
        .put("/a", "body")
        .replies(run -> List.of(status(status).body("late").delayUntil(run.gate())))
        .at(
            Moment.REQUEST,
            run -> {
              run.cancel();
              run.openGate();
            })
        .fails(CANCELLED)
        .endsAfter("OTHER unknown", "CANCELLED 1")
        .notFor(Trait.NO_CANCEL, NO_HANDLE_WHY);
  }
}
