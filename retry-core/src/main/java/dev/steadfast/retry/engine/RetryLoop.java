package dev.steadfast.retry.engine;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryTrace;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.CleanReport;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one retry loop. It drives an {@link RetryTransport} through its attempts, asks {@link
 * RetryState} what follows each of them, and waits: on the calling thread for {@link #run}, on the
 * scheduler, holding no thread, for {@link #start}.
 *
 * <p>For authors of adapters. One object per operation. The loop is confined: at any time one
 * thread drives it, and a compare-and-set hands it over. Only {@link #cancel} may come from
 * anywhere.
 *
 * @param <R> the response
 */
public final class RetryLoop<R> {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final Operation<R> operation;
  private final RetryTransport<R> transport;

  private @Nullable BiConsumer<@Nullable R, @Nullable Throwable> completion; // null: blocking
  private @Nullable R result;
  private @Nullable Throwable failure;

  private @Nullable CallerContext context; // null: blocking, or over
  private boolean over;

  private volatile @Nullable StopReason cancelled; // by the caller: CANCELLED or INTERRUPTED
  // What a cancellation has to reach: an Attempt, an AsyncWait, or the latch of a thread that
  // sleeps.
  private volatile @Nullable Object underWay;

  /**
   * An operation that has not begun.
   *
   * @param plan what applies to all operations
   * @param info what identifies this one
   * @param transport how attempts are made
   */
  public RetryLoop(RetryPlan plan, OperationInfo info, RetryTransport<R> transport) {
    this.operation = new Operation<>(plan, info, transport);
    this.transport = transport;
  }

  /**
   * Carries the operation out on the calling thread.
   *
   * @param boundNanos a bound on the operation beside the policy's; {@link Long#MAX_VALUE} for none
   * @return the response
   * @throws Throwable the failure, with its report
   */
  public R run(long boundNanos) throws Throwable {
    if (operation.isHeard()) {
      context = CallerContext.capture(operation.context()); // a client may show heads elsewhere
    }
    operation.begin(boundNanos);
    drive();
    return outcome();
  }

  /**
   * Goes on, on the calling thread, after a first attempt that was made without the loop. Exactly
   * one of response and failure is given.
   *
   * @param beganNanos when the attempt began; the budget has been told
   */
  R runAfterFirstAttempt(long beganNanos, @Nullable R response, @Nullable Throwable thrown)
      throws Throwable {
    operation.beginAfterFirstAttempt(beganNanos);
    if (settle(Attempt.completed(this, response, thrown))) {
      drive();
    }
    return outcome();
  }

  /** Ends an operation whose only attempt succeeded and whose budget threw when it was told. */
  R endAfterFirstAttempt(long beganNanos, R response, Throwable broken) throws Throwable {
    operation.beginAfterFirstAttempt(beganNanos);
    Attempt<R> attempt = Attempt.completed(this, response, null);
    operation.acceptedAlready(attempt, transport.outcome(response));
    userCodeFailed(attempt, broken);
    return outcome();
  }

  private R outcome() throws Throwable {
    Throwable thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    return present(result);
  }

  /**
   * Carries the operation out without a thread of its own.
   *
   * @param boundNanos a bound on the operation beside the policy's; {@link Long#MAX_VALUE} for none
   * @param completion gets the response or the failure, once
   */
  public void start(long boundNanos, BiConsumer<@Nullable R, @Nullable Throwable> completion) {
    this.completion = completion;
    context = CallerContext.capture(operation.context());
    operation.begin(boundNanos);
    if (cancelled == null) {
      drive();
    } else {
      execute(this::drive); // callbacks never run on the canceller's thread
    }
  }

  /**
   * As {@link #start(long, BiConsumer)}, with a future for the outcome. Cancelling it, or any
   * future derived from it, ends the operation; so does completing it from outside.
   *
   * @param boundNanos a bound on the operation beside the policy's; {@link Long#MAX_VALUE} for none
   * @param <T> the type that the caller sees
   * @param result makes the caller's result of the response
   * @param failure makes what the future fails with of the failure; {@link
   *     java.util.concurrent.CancellationException}s are not passed to it
   * @return the future
   */
  public <T> CompletableFuture<T> start(
      long boundNanos, Function<R, @Nullable T> result, UnaryOperator<Throwable> failure) {
    OperationFuture<R, T> future = new OperationFuture<>(this, result, failure);
    start(boundNanos, future);
    return future;
  }

  /** Ends the operation at once: its wait, its attempt, and all that would follow. */
  public void cancel() {
    cancel(StopReason.CANCELLED);
  }

  /** As {@link #cancel}, because the thread that waits for the result was interrupted. */
  public void interrupt() {
    cancel(StopReason.INTERRUPTED);
  }

  private void cancel(StopReason reason) {
    cancelled = reason;
    Object reached = underWay;
    if (reached instanceof Attempt<?> attempt) {
      attempt.cancel();
    } else if (reached instanceof AsyncWait waiting) {
      waiting.cancel();
    } else if (reached instanceof CountDownLatch sleeping) {
      sleeping.countDown();
    }
  }

  /** Makes attempts for as long as they end on this thread. */
  private void drive() {
    try {
      while (attempt()) {
        // the next one
      }
    } catch (Throwable broken) {
      broken(null, broken);
    }
  }

  /** Makes one attempt. Returns true if another one follows at once on this thread. */
  private boolean attempt() {
    if (cancelled != null) {
      return abandon(cancelReason(), cancellation());
    }
    if (operation.remainingNanos() == 0) {
      return abandon(StopReason.DEADLINE, transport.failure(RetryTransport.End.DEADLINE, null));
    }
    Attempt<R> attempt = new Attempt<>(this, operation.nextAttempt());
    underWay = attempt;
    if (cancelled != null) {
      attempt.cancel(); // the canceller may have missed it
    }
    try {
      operation.startAttempt(attempt);
    } catch (Throwable thrown) {
      attempt.complete(null, thrown);
    }
    return attempt.overOnReturn() && settle(attempt); // else who completes it goes on
  }

  /** Goes on after an attempt that ended after start() had returned. */
  void goOn(Attempt<R> attempt) {
    Runnable undo = restoreContext();
    try {
      if (settle(attempt)) {
        drive();
      }
    } finally {
      undo.run();
    }
  }

  Runnable restoreContext() {
    return CallerContext.restore(context);
  }

  /** Returns true if another attempt follows at once on this thread. */
  private boolean settle(Attempt<R> attempt) {
    underWay = null;
    try {
      attempt.addBodyTime();
      return settled(attempt);
    } catch (Throwable broken) {
      return broken(attempt, broken);
    }
  }

  // For an exception where none is expected: it ends the operation, unless that is over.
  private boolean broken(@Nullable Attempt<R> attempt, Throwable thrown) {
    if (over) {
      LOG.warn("the end of an operation could not be told: {}", operation, thrown);
      return false;
    }
    return attempt == null
        ? abandon(StopReason.USER_CODE_FAILED, thrown)
        : endOutside(attempt, StopReason.USER_CODE_FAILED, thrown);
  }

  private boolean settled(Attempt<R> attempt) {
    Throwable userFailure = attempt.userFailure();
    if (userFailure != null) {
      return userCodeFailed(attempt, userFailure);
    }
    return switch (attempt.phase()) {
      case CANCELLED -> endOutside(attempt, cancelReason(), cancellation());
      case TIMED_OUT -> timedOut(attempt);
      case REFUSED -> refused(attempt);
      case REJECTED -> endOutside(attempt, StopReason.REJECTED, rejection(attempt.refusal()));
      default -> completed(attempt);
    };
  }

  private boolean completed(Attempt<R> attempt) {
    R response = attempt.response();
    Throwable thrown = attempt.failure();
    if (attempt.headDecision() instanceof RetryDecision.Stop stop) {
      return finish(stop.reason(), response, thrown);
    }
    if (attempt.headDecision() instanceof RetryDecision.Retry retry) {
      // The rest of the response does not matter, but an interrupt meanwhile does.
      return thrown instanceof InterruptedException interrupt
          ? interrupted(interrupt)
          : waitFor(retry);
    }
    return judged(attempt, response, thrown);
  }

  private boolean judged(Attempt<R> attempt, @Nullable R response, @Nullable Throwable thrown) {
    RetryDecision decision;
    try {
      Outcome outcome = outcome(attempt, response, thrown);
      if (!attempt.began() && thrown != null) {
        // The attempt did not begin, so there is nothing to retry. An executor refused, for
        // example.
        return endOutside(attempt, stopReason(outcome.verdict()), thrown);
      }
      decision = operation.decide(attempt, outcome, response, thrown);
    } catch (Throwable broken) {
      if (thrown != null) {
        Suppressed.add(broken, thrown); // what the attempt itself ended with
      }
      return userCodeFailed(attempt, broken);
    }
    if (decision instanceof RetryDecision.Retry retry) {
      if (response != null) {
        transport.discard(response);
      }
      return waitFor(retry);
    }
    return finish(((RetryDecision.Stop) decision).reason(), response, thrown);
  }

  private Outcome outcome(Attempt<R> attempt, @Nullable R response, @Nullable Throwable thrown) {
    if (thrown != null) {
      return transport.outcome(thrown);
    }
    Outcome atHead = attempt.headOutcome();
    return atHead != null ? atHead : transport.outcome(present(response));
  }

  private static StopReason stopReason(Verdict verdict) {
    return verdict instanceof Verdict.Permanent permanent
        ? permanent.reason()
        : StopReason.NOT_RETRYABLE;
  }

  private boolean timedOut(Attempt<R> attempt) {
    if (operation.remainingNanos() > 0) {
      return judged(attempt, null, transport.failure(RetryTransport.End.ATTEMPT_TIMEOUT, null));
    }
    return endOutside(
        attempt, StopReason.DEADLINE, transport.failure(RetryTransport.End.DEADLINE, null));
  }

  private boolean refused(Attempt<R> attempt) {
    RetryDecision.Retry wait;
    try {
      wait = operation.readmission();
    } catch (Throwable broken) {
      return userCodeFailed(attempt, broken);
    }
    return wait != null
        ? waitFor(wait)
        : endOutside(attempt, StopReason.GUARD_REFUSED, operation.refusal(attempt));
  }

  private boolean userCodeFailed(Attempt<R> attempt, Throwable thrown) {
    R response = attempt.response();
    if (response != null) {
      discard(response);
    }
    return endOutside(attempt, StopReason.USER_CODE_FAILED, thrown);
  }

  /** Ends the operation for a reason that the attempt itself did not give. */
  private boolean endOutside(Attempt<R> attempt, StopReason reason, Throwable thrown) {
    operation.endedOutside(attempt, reason, thrown);
    return abandon(reason, thrown);
  }

  private boolean abandon(StopReason reason, Throwable thrown) {
    try {
      operation.abandon(reason);
    } catch (Throwable broken) {
      // The user's budget may throw. The operation ends all the same.
      Suppressed.add(thrown, broken);
    }
    return finish(reason, null, thrown);
  }

  private StopReason cancelReason() {
    StopReason reason = cancelled;
    return reason == null ? StopReason.CANCELLED : reason;
  }

  private Throwable cancellation() {
    boolean interrupted = cancelled == StopReason.INTERRUPTED;
    return transport.failure(
        interrupted ? RetryTransport.End.INTERRUPTED : RetryTransport.End.CANCELLED, null);
  }

  private Throwable rejection(@Nullable Throwable cause) {
    return transport.failure(RetryTransport.End.REJECTED, cause);
  }

  private boolean finish(StopReason reason, @Nullable R response, @Nullable Throwable thrown) {
    over = true;
    failure = thrown;
    transport.over();
    try {
      @Nullable RetryReport report = operation.ended(reason, thrown != null);
      if (thrown != null) {
        RetryTrace.put(thrown, Objects.requireNonNull(report));
      } else if (response != null) {
        deliver(response, operation.clean(reason) ? null : report);
      }
    } catch (Throwable broken) {
      failure = thrown == null ? broken : thrown;
    }
    if (completion != null) {
      tell();
    }
    return false;
  }

  // Callbacks run where the client runs them, and not on the few threads of the library.
  private void tell() {
    if (!WorkerThread.isWorker()) {
      callBack();
      return;
    }
    try {
      transport.callBack(this::calledBack);
    } catch (Throwable refused) {
      LOG.warn(
          "an executor refused a callback, which runs on another thread: {}", operation, refused);
      callBack();
    }
  }

  private void calledBack() {
    Runnable undo = restoreContext();
    try {
      callBack();
    } finally {
      undo.run();
    }
  }

  private void callBack() {
    BiConsumer<@Nullable R, @Nullable Throwable> told = completion;
    context = null; // a loop that is kept keeps no class loader
    if (told != null) {
      told.accept(result, failure);
    }
  }

  private void deliver(R response, @Nullable RetryReport report) {
    try {
      result = transport.deliver(response, report);
    } catch (Throwable broken) {
      discard(response);
      RetryTrace.put(broken, report == null ? CleanReport.of(operation.info()) : report);
      failure = broken;
    }
  }

  /** Returns true if the wait is over already; false if it goes on elsewhere or ended it all. */
  private boolean waitFor(RetryDecision.Retry retry) {
    // The delay counts from the decision, so it includes the time to read the rest of the response.
    long left = retry.delayNanos() == 0 ? 0 : operation.dueNanos() - operation.now();
    if (left <= 0) {
      return !blocking() || notInterrupted();
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
    CountDownLatch sleeping = new CountDownLatch(1);
    underWay = sleeping;
    if (cancelled != null) {
      sleeping.countDown(); // the canceller may have missed it
    }
    try {
      // A wait may end early, but a delay that a server asked for must pass: then wait again.
      long left = operation.dueNanos() - operation.now();
      while (left > 0 && !operation.scheduler().await(sleeping, left)) {
        left = operation.dueNanos() - operation.now();
      }
      return notInterrupted(); // cancelled: the loop sees it before the next attempt
    } catch (InterruptedException interrupted) {
      return interrupted(interrupted);
    } catch (RejectedExecutionException rejected) {
      return abandon(StopReason.REJECTED, rejection(rejected));
    }
  }

  private boolean notInterrupted() {
    return !Thread.interrupted() || interrupted(null);
  }

  private boolean interrupted(@Nullable InterruptedException thrown) {
    return abandon(
        StopReason.INTERRUPTED, transport.failure(RetryTransport.End.INTERRUPTED, thrown));
  }

  void waitOver() {
    underWay = null;
    Runnable undo = restoreContext();
    try {
      drive();
    } finally {
      undo.run();
    }
  }

  void waitRejected(Throwable reason) {
    underWay = null;
    boolean rejected = reason instanceof RejectedExecutionException;
    Runnable undo = restoreContext();
    try {
      abandon(
          rejected ? StopReason.REJECTED : StopReason.USER_CODE_FAILED,
          rejected ? rejection(reason) : reason);
    } finally {
      undo.run();
    }
  }

  boolean blocking() {
    return completion == null;
  }

  Operation<R> operation() {
    return operation;
  }

  /** Frees what a response holds, where nothing follows that could report a failure of it. */
  void discard(R response) {
    try {
      transport.discard(response);
    } catch (Throwable broken) {
      LOG.warn("a response that nobody gets could not be freed: {}", operation, broken);
    }
  }

  /** Runs what follows a cancellation, so that it never runs on the canceller's thread. */
  void execute(Runnable continuation) {
    try {
      operation.scheduler().execute(continuation);
    } catch (Throwable refused) {
      LOG.warn("a scheduler refused a task, which runs on another thread: {}", operation, refused);
      TimerScheduler.system().execute(continuation);
    }
  }

  R present(@Nullable R value) {
    if (value == null) {
      throw new IllegalStateException("an attempt ended without a response: " + operation);
    }
    return value;
  }
}
