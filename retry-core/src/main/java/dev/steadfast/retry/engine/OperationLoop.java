package dev.steadfast.retry.engine;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one operation: an attempt, a wait, the next attempt, and the end. Confined: at any time
 * one thread drives it, and a compare-and-set of an attempt or a wait hands it over. Only
 * cancellations may come from anywhere.
 */
final class OperationLoop<R> implements RetryLoop<R>, Driver<R> {
  // Why it is like this: docs/decisions/one-loop.md
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final Operation<R> operation;

  private @Nullable EndCallback<R> told; // null: blocking
  private @Nullable R result; // the operation is over once there is a result or a failure
  private @Nullable Throwable failure;

  private @Nullable CallerContext context; // null: blocking and nobody listens, or over

  private volatile @Nullable StopReason cancelled; // by the caller: CANCELLED or INTERRUPTED
  private volatile @Nullable CancellableStep underWay;

  OperationLoop(RetryPlan plan, OperationInfo info, RetryTransport<R> transport) {
    this(new Operation<>(plan, info, transport));
  }

  OperationLoop(Operation<R> operation) {
    this.operation = operation;
  }

  // The beginning.

  @Override
  public R run(long boundNanos) throws Throwable {
    capture();
    operation.begin(boundNanos);
    drive();
    return outcome();
  }

  private void capture() {
    if (operation.isHeard()) {
      context = CallerContext.capture(operation.plan().context()); // for heads on other threads
    }
  }

  R runAgain(RetryTransport<R> transport, long boundNanos) throws Throwable {
    result = null;
    failure = null;
    capture();
    try {
      operation.beginAgain(transport, boundNanos);
    } catch (Throwable broken) { // the clock or the budget is the user's
      abandon(StopReason.USER_CODE_FAILED, broken);
      return outcome();
    }
    drive();
    return outcome();
  }

  void close() {
    operation.close();
  }

  /** Goes on, on the calling thread, after a first attempt that was made without the loop. */
  R runAfter(AttemptRun<R> first) throws Throwable {
    drive(first);
    return outcome();
  }

  private R outcome() throws Throwable {
    Throwable thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    return NextStep.present(operation, result);
  }

  @Override
  public void start(long boundNanos, BiConsumer<@Nullable R, @Nullable Throwable> completion) {
    told = new EndCallback<>(completion);
    context = CallerContext.capture(operation.plan().context());
    operation.begin(boundNanos);
    if (cancelled == null) {
      drive();
    } else {
      Callbacks.afterCancel(operation, () -> Callbacks.within(context, this::drive));
    }
  }

  @Override
  public void cancel() {
    cancel(StopReason.CANCELLED);
  }

  @Override
  public void interrupt() {
    cancel(StopReason.INTERRUPTED);
  }

  private void cancel(StopReason reason) {
    cancelled = reason;
    CancellableStep reached = underWay;
    if (reached != null) {
      reached.cancel();
    }
  }

  // Attempts.

  private void drive() {
    drive(null);
  }

  /**
   * Makes attempts for as long as they end on this thread.
   *
   * @param over the attempt that has ended before, null for none
   */
  private void drive(@Nullable AttemptRun<R> over) {
    try {
      boolean goesOn = over == null || settle(over);
      while (goesOn) {
        goesOn = attempt();
      }
    } catch (Throwable broken) {
      if (!overAlready(broken)) {
        abandon(StopReason.USER_CODE_FAILED, broken);
      }
    }
  }

  /** Makes one attempt. Returns true if another one follows at once on this thread. */
  private boolean attempt() {
    StopReason reason = cancelled;
    if (reason != null) {
      return abandon(reason, NextStep.cancelled(operation, reason));
    }
    if (operation.remainingNanos() == 0) {
      return abandon(StopReason.DEADLINE, NextStep.deadline(operation));
    }
    AttemptRun<R> attempt = new AttemptRun<>(this, operation.state().attempts() + 1);
    underWay = attempt;
    if (cancelled != null) {
      attempt.cancel(); // the canceller may have missed it
    }
    Runnable leave = operation.enterAttempt(attempt.number(), () -> {});
    try {
      operation.startAttempt(attempt);
    } catch (Throwable thrown) {
      attempt.complete(null, thrown);
    } finally {
      leave.run();
    }
    return attempt.overOnReturn() && settle(attempt); // else whoever completes it goes on
  }

  @Override
  public void goOn(AttemptRun<R> attempt) {
    Runnable undo = restoreContext();
    try {
      drive(attempt);
    } finally {
      undo.run();
    }
  }

  /** Returns true if another attempt follows at once on this thread. */
  private boolean settle(AttemptRun<R> attempt) {
    underWay = null;
    try {
      attempt.addBodyTime();
      return follow(NextStep.next(operation, attempt, cancelled), attempt);
    } catch (Throwable broken) {
      return !overAlready(broken) && follow(NextStep.broken(operation, attempt, broken), attempt);
    }
  }

  private boolean follow(RetryDecision decision, AttemptRun<R> attempt) {
    return decision instanceof RetryDecision.Retry retry
        ? waitFor(retry)
        : finish(((RetryDecision.Stop) decision).reason(), attempt.response(), attempt.failure());
  }

  // An exception where none is expected ends the operation, unless that is over.
  private boolean overAlready(Throwable thrown) {
    boolean over = result != null || failure != null;
    if (over) {
      LOG.warn("the end of an operation could not be told: {}", operation, thrown);
    }
    return over;
  }

  // Waits.

  /** Returns true if the wait is over; false if it goes on elsewhere, or the operation ended. */
  private boolean waitFor(RetryDecision.Retry retry) {
    // The delay counts from the decision, so it includes the time to read the rest of the response.
    long left = retry.delayNanos() == 0 ? 0 : operation.leftToWaitNanos();
    if (left <= 0) {
      return !blocking() || !Thread.interrupted() || interrupted(null);
    }
    if (blocking()) {
      return sleep();
    }
    AsyncWait waiting = new AsyncWait(this);
    underWay = waiting;
    waiting.schedule(left);
    if (cancelled != null) {
      waiting.cancel();
    }
    return false;
  }

  private boolean sleep() {
    BlockingWait waiting = new BlockingWait();
    underWay = waiting;
    if (cancelled != null) {
      waiting.cancel(); // the canceller may have missed it
    }
    try {
      waiting.await(operation);
      return !Thread.interrupted()
          || interrupted(null); // cancelled: the loop sees it before the next attempt
    } catch (InterruptedException interrupted) {
      return interrupted(interrupted);
    } catch (RejectedExecutionException rejected) {
      return abandon(StopReason.REJECTED, NextStep.rejected(operation, rejected));
    }
  }

  private boolean interrupted(@Nullable InterruptedException thrown) {
    return abandon(StopReason.INTERRUPTED, NextStep.interrupted(operation, thrown));
  }

  @Override
  public void waitOver() {
    underWay = null;
    Callbacks.within(context, this::drive);
  }

  @Override
  public void waitRejected(Throwable reason) {
    underWay = null;
    boolean rejected = reason instanceof RejectedExecutionException;
    StopReason why = rejected ? StopReason.REJECTED : StopReason.USER_CODE_FAILED;
    Throwable thrown = rejected ? NextStep.rejected(operation, reason) : reason;
    Callbacks.within(context, () -> abandon(why, thrown));
  }

  // The end.

  private boolean abandon(StopReason reason, Throwable thrown) {
    operation.abandon(reason, thrown);
    return finish(reason, null, thrown);
  }

  private boolean finish(StopReason reason, @Nullable R response, @Nullable Throwable thrown) {
    failure = thrown;
    try {
      @Nullable RetryReport report = operation.ended(reason, thrown != null);
      if (operation.transport().hasLastStep()) {
        lastStep(new RetryTransport.LastStep<>(response, thrown, report));
        return false;
      }
      result = NextStep.hand(operation, response, thrown, operation.clean(reason) ? null : report);
    } catch (Throwable broken) {
      endWith(broken, response, thrown);
    }
    return tell();
  }

  private void lastStep(RetryTransport.LastStep<R> end) {
    LastStepRun<R> step = new LastStepRun<>(operation.transport(), operation);
    underWay = step;
    boolean left = cancelled != null; // the canceller may have missed it
    step.begin(end, left, told -> Callbacks.within(context, () -> afterLastStep(end, told)));
  }

  private void afterLastStep(RetryTransport.LastStep<R> end, RetryReport report) {
    underWay = null;
    try {
      operation.plan().listeners().ended(operation.info(), report);
      result = NextStep.hand(operation, end.response(), end.failure(), report);
    } catch (Throwable broken) {
      endWith(broken, end.response(), end.failure());
    }
    tell();
  }

  private void endWith(Throwable broken, @Nullable R response, @Nullable Throwable thrown) {
    if (thrown == null && response != null) {
      operation.discard(response); // the caller does not get it
    }
    failure = thrown == null ? broken : thrown;
  }

  private boolean tell() {
    EndCallback<R> others = told;
    if (others != null) {
      others.tell(operation, context, result, failure);
      context = null; // a loop that is kept keeps no class loader
    }
    return false;
  }

  // Serves a thread that waits for the result of an operation that holds no thread.

  @Override
  public long deadlineInNanos() {
    CancellableStep now = underWay;
    return now == null ? operation.remainingNanos() : now.remainingNanos();
  }

  @Override
  public @Nullable EndCallback<R> help() {
    EndCallback<R> others = told;
    CancellableStep now = underWay;
    if (others != null && now != null) {
      others.help(now);
    }
    return EndCallback.isOver(others) ? others : null;
  }

  @Override
  public void extendBound(long boundNanos) {
    operation.extendBound(boundNanos);
  }

  @Override
  public void discard(R response) {
    operation.discard(response);
  }

  // The operation, for attempts and waits.

  @Override
  public Operation<R> operation() {
    return operation;
  }

  @Override
  public boolean blocking() {
    return told == null;
  }

  @Override
  public Runnable restoreContext() {
    return CallerContext.restore(context);
  }
}
