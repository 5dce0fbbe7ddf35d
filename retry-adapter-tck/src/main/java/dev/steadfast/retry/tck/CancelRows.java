package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.ms;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CANCELLED;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.INTERRUPTED;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.tck.Scenario.Moment;
import java.util.List;
import java.util.stream.Stream;

/** Cancelling and interrupting, at every point of a call: law 3 (never late). */
final class CancelRows {
  private static final String UNAVAILABLE = "attempt 1: 503 UNAVAILABLE answered";
  private static final String WAIT = "wait 100ms backoff";
  private static final Reply BUSY = status(503);
  private static final String NO_HANDLE_WHY = "there is no handle to cancel; see the interrupts";

  private CancelRows() {}

  static List<Scenario> rows() {
    return Stream.of(cancels(), early(), interrupts()).flatMap(List::stream).toList();
  }

  private static Scenario cancelled(String name, Moment moment, int number) {
    return row(name)
        .put("/a", "body")
        .at(moment, number, moment == Moment.IN_WAIT ? CancelRows::cancelInWait : Running::cancel)
        .fails(CANCELLED)
        .notFor(Trait.NO_CANCEL, NO_HANDLE_WHY);
  }

  /** An interceptor on OkHttp 4 looks every 50 ms whether its call was cancelled. */
  private static void cancelInWait(Running run) {
    run.cancel();
    run.advance(ms(50));
  }

  private static List<Scenario> cancels() {
    return List.of(
        cancelled("cancelled while the server is silent", Moment.REQUEST, 1)
            .replies(Reply.stallAfterRequest())
            .endsAfter("OTHER unknown", "CANCELLED 1")
            .expect(e -> e.permits("released").budget("UNKNOWN")),
        cancelled("cancelled while the server is silent, second attempt", Moment.REQUEST, 2)
            .replies(BUSY, Reply.stallAfterRequest())
            .requests(2)
            .trace(UNAVAILABLE, WAIT, "attempt 2: OTHER unknown", "done CANCELLED 2")
            .expect(e -> e.permits("failed", "released").budget("took 1 UNAVAILABLE, UNKNOWN")),
        cancelled("cancelled in the wait: the token goes back", Moment.IN_WAIT, 1)
            .replies(BUSY)
            .requests(1)
            .trace(UNAVAILABLE, WAIT, "done CANCELLED 1")
            .expect(e -> e.permits("failed").budget("took 1 UNAVAILABLE, gave back, UNKNOWN")),
        cancelled("cancelled just before the wait", Moment.BEFORE_WAIT, 1)
            .replies(BUSY)
            .requests(1)
            .trace(UNAVAILABLE, WAIT, "done CANCELLED 1")
            .expect(e -> e.budget("took 1 UNAVAILABLE, gave back, UNKNOWN")),
        cancelled("cancelled as an attempt ends", Moment.ATTEMPT_ENDED, 1)
            .replies(BUSY)
            .requests(1)
            .trace(UNAVAILABLE, WAIT, "done CANCELLED 1")
            .expect(e -> e.budget("took 1 UNAVAILABLE, gave back, UNKNOWN")),
        cancelled("cancelled as the second attempt starts: nothing is sent", Moment.ATTEMPT, 2)
            .replies(BUSY)
            .requests(1)
            .trace(UNAVAILABLE, WAIT, "attempt 2: OTHER unsent", "done CANCELLED 2")
            .expect(e -> e.permits("failed", "released")),
        cancelled("cancelled twice", Moment.IN_WAIT, 1)
            .at(
                Moment.IN_WAIT,
                run -> {
                  run.cancel();
                  cancelInWait(run);
                })
            .replies(BUSY)
            .requests(1)
            .trace(UNAVAILABLE, WAIT, "done CANCELLED 1"),
        cancelled("cancelled when all is over: nothing changes", Moment.OUTCOME, 1)
            .replies(BUSY, OK)
            .retriedAfter("503 UNAVAILABLE answered"));
  }

  private static List<Scenario> early() {
    String noFuture = "the caller has no handle to cancel yet";
    return List.of(
        cancelled("cancelled as the operation starts: nothing is sent", Moment.STARTED, 1)
            .requests(0)
            .trace("done CANCELLED 0")
            .expect(e -> e.budget("UNKNOWN").permits())
            .notFor(Trait.LATE_CANCEL, noFuture),
        cancelled("cancelled as the first attempt starts: nothing is sent", Moment.ATTEMPT, 1)
            .requests(0)
            .trace("attempt 1: OTHER unsent", "done CANCELLED 1")
            .expect(e -> e.permits("released"))
            .notFor(Trait.LATE_CANCEL, noFuture));
  }

  private static List<Scenario> interrupts() {
    String noThread = "no thread waits";
    return List.of(
        row("interrupted in the wait: ends at once, no immediate retry")
            .trap(20)
            .get("/a")
            .at(Moment.IN_WAIT, Running::interrupt)
            .replies(BUSY)
            .fails(INTERRUPTED)
            .requests(1)
            .trace(UNAVAILABLE, WAIT, "done INTERRUPTED 1")
            .expect(e -> e.budget("took 1 UNAVAILABLE, gave back, UNKNOWN"))
            .notFor(Trait.ASYNC, noThread),
        row("interrupted just before the wait: no wait is begun")
            .trap(20)
            .get("/a")
            .at(Moment.BEFORE_WAIT, Running::interrupt)
            .replies(BUSY)
            .fails(INTERRUPTED)
            .requests(1)
            .trace(UNAVAILABLE, WAIT, "done INTERRUPTED 1")
            .notFor(Trait.ASYNC, noThread)
            .notFor(Trait.WAITS_ON_OTHER_THREADS, "the wait is not on the calling thread"),
        row("interrupted while the server is silent")
            .put("/a", "body")
            .at(Moment.REQUEST, Running::interrupt)
            .replies(Reply.stallAfterRequest())
            .fails(INTERRUPTED)
            .endsAfter("OTHER unknown", "INTERRUPTED 1")
            .expect(e -> e.permits("released").budget("UNKNOWN"))
            .notFor(Trait.ASYNC, noThread)
            .notFor(Trait.UNINTERRUPTIBLE_READS, "a blocked socket read cannot be interrupted"));
  }
}
