package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.Verdict;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One operation as a client carries it out: how to make an attempt, what its outcome means, how to
 * get rid of a response. The loop asks; a transport decides nothing about retrying.
 *
 * <p>One object per operation, or per run of an {@link RepeatableLoop}. Its methods are never
 * called by two threads at the same time, with these exceptions: any thread may call {@link
 * #discard}, {@link #callBack}, {@link #idleLeftNanos} and {@link #boundsAttempts}; and after
 * {@link Attempt#queued} an attempt may end, and {@link #start} be called for the next one, before
 * {@code start} has returned.
 *
 * @param <R> the response
 */
public interface RetryTransport<R> {
  /**
   * Makes one attempt. The transport calls {@link Attempt#begin} when the attempt leaves the
   * client's own queue, and {@link Attempt#complete} once when it is over; in a blocking loop
   * before this method returns.
   *
   * @param attempt the attempt
   * @throws Exception an attempt that could not be made; it counts as the attempt's failure
   */
  void start(Attempt<R> attempt) throws Exception;

  /**
   * How the current attempt ended, given the response. Asked once per response, for the head if the
   * client shows the head before it collects the body.
   *
   * @param response the response of the current attempt
   * @return what it means, and what is known of the attempt
   */
  Outcome outcome(R response);

  /**
   * The meaning of a head that {@link Attempt#peek} was given. {@link #outcome(Object)} is asked
   * later, with the response; it must not learn from the same answer a second time.
   *
   * @param head the response, as far as it is known
   * @return what it means
   */
  default Verdict verdict(R head) {
    return outcome(head).verdict();
  }

  /**
   * How the current attempt ended, given the failure. Asked once; after {@link #outcome(Object)}
   * only if the body of an accepted response broke within the attempt.
   *
   * @param failure the failure of the current attempt
   * @return what it means, and what is known of the attempt
   */
  Outcome outcome(Throwable failure);

  /**
   * {@return what is known of the current attempt, with the status if a head came} Asked if it
   * ended from outside by a cancellation or the deadline, whatever it still does, or if a rule
   * threw. No rule is asked. Must not throw.
   */
  Evidence evidence();

  /**
   * The headers of a response, kept where a guard may refuse the attempt that follows it.
   *
   * @param response a response that is about to be discarded
   * @return an immutable map
   */
  default Map<String, List<String>> headers(R response) {
    return Map.of();
  }

  /**
   * {@return whether the transport bounds its attempts itself, by {@link Attempt#timeoutNanos},
   * because it cannot cancel one attempt without cancelling the operation; false by default: the
   * loop sets timers and calls what {@link Attempt#onCancel} was given}
   */
  default boolean boundsAttempts() {
    return false;
  }

  /**
   * How long the body that is on its way, up or down, may still be silent before the attempt counts
   * as stalled. Asked by the threads of timers, too.
   *
   * @param nowNanos the time
   * @return nanoseconds, 0 if it has stalled; {@link Long#MAX_VALUE}, the default, for no limit
   */
  default long idleLeftNanos(long nowNanos) {
    return Long.MAX_VALUE;
  }

  /**
   * The longest time that the operation may still take, however its own bounds are extended.
   *
   * @param nowNanos the time
   * @return nanoseconds; {@link Long#MAX_VALUE}, the default, for no limit
   */
  default long mostNanos(long nowNanos) {
    return Long.MAX_VALUE;
  }

  /**
   * {@return how much of the total timeout is over when the operation begins, in nanoseconds; 0 by
   * default} Another operation of the same call may have begun before, and both have the time of
   * the call.
   */
  default long spentNanos() {
    return 0;
  }

  /**
   * Frees what a response holds: it is followed by another attempt, or came too late. A body that
   * is short and quick is read to its end, so that the connection is used again: see {@link
   * UnwantedBody}.
   *
   * @param response a response that the caller does not get
   */
  default void discard(R response) {}

  /**
   * The operation waits for its next attempt without holding a thread: frees what is kept of the
   * last one, of which nothing is asked any more. May be called more than once.
   */
  default void waits() {}

  /** The operation is over; called once, before the caller gets the result. It must not throw. */
  default void over() {}

  /**
   * Turns the response into what the caller gets: with the report, and without what was added to
   * the request.
   *
   * @param response the response
   * @param report what happened; null if it was one attempt, which was accepted, or if the
   *     transport carries no reports
   * @return the response to hand over
   */
  default R deliver(R response, @Nullable RetryReport report) {
    return response;
  }

  /**
   * {@return whether {@link #deliver} can put a report on a response; true by default} If it is
   * false, no report is made that no one could read.
   */
  default boolean carriesReports() {
    return true;
  }

  /**
   * Whether {@link #lastStep} does something. Then the budget hears nothing of the operation before
   * an attempt begins.
   *
   * @return false by default
   */
  default boolean hasLastStep() {
    return false;
  }

  /**
   * The attempts are over, and the budget and the log know of it. Does what is to be done before
   * the listeners and the caller are told. No timer ends it. Must not throw.
   *
   * @param end how the operation ended, as the log has it
   * @param next tells them; called once, with the report that they get. A blocking operation calls
   *     it on the same thread before this method returns
   */
  default void lastStep(LastStep<R> end, Consumer<RetryReport> next) {}

  /**
   * The operation was cancelled or interrupted: from now on its last step keeps nobody waiting. The
   * step calls {@code next} at once, with what is known. May be called from any thread, before the
   * step or within it, and more than once. Must not block, and must not throw.
   */
  default void leaveLastStep() {}

  /**
   * The exception for each end that comes from outside an attempt.
   *
   * @param end what happened
   * @param cause the exception behind it, if there is one
   * @return a new exception
   */
  Throwable failure(End end, @Nullable Throwable cause);

  /**
   * The exception where a time limit has ended an attempt, or the operation.
   *
   * @param limit which one; its text belongs in the message
   * @return a new exception; by default as {@link #failure} makes it
   */
  default Throwable timedOut(TimeUp limit) {
    boolean attempt =
        limit.limit() == TimeLimit.ATTEMPT_TIMEOUT || limit.limit() == TimeLimit.BODY_IDLE_TIMEOUT;
    return failure(attempt ? End.ATTEMPT_TIMEOUT : End.DEADLINE, null);
  }

  /**
   * {@return which limit bounds the operation, where the policy and the scope do not; by default
   * the deadline that the caller set}
   */
  default TimeLimit boundLimit() {
    return TimeLimit.DEADLINE;
  }

  /**
   * Runs a callback of the caller's where the client runs callbacks: on its executor. Called where
   * the operation ended on a thread of the library's. An exception of this method is logged, and
   * the callback runs on the calling thread.
   *
   * @param callback completes the caller's future or calls the caller back
   */
  default void callBack(Runnable callback) {
    callback.run();
  }

  /**
   * How an operation ended: with a response or a failure.
   *
   * @param response the response for the caller; null if it failed
   * @param failure the exception for the caller; null if it did not fail
   * @param report what happened to the attempts; null if it was one, which was accepted, and nobody
   *     needs a report
   * @param <R> the response
   */
  record LastStep<R>(
      @Nullable R response, @Nullable Throwable failure, @Nullable RetryReport report) {}

  /**
   * An end that comes from outside an attempt.
   *
   * <p>A later version may add values, so a switch over them needs a default.
   */
  enum End {
    /** The attempt took longer than it may. */
    ATTEMPT_TIMEOUT,
    /** The operation's deadline passed. */
    DEADLINE,
    /** The caller cancelled. */
    CANCELLED,
    /** The thread was interrupted while it waited. */
    INTERRUPTED,
    /** The scheduler takes no more work. */
    REJECTED
  }
}
