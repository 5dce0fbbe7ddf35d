package dev.steadfast.retry;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One operation as a client carries it out: how to make an attempt, what its outcome means, how to
 * get rid of a response. The loop asks; an exchange decides nothing about retrying.
 *
 * <p>For authors of adapters. One object per operation; its methods are never called by two threads
 * at the same time, but for {@link #discard} and {@link #execute}.
 *
 * @param <R> the response
 */
public interface Exchange<R> {

  /**
   * Makes one attempt. The exchange calls {@link Attempt#begin} when the attempt leaves the
   * client's own queue, and {@link Attempt#complete} once when it is over; in a blocking loop
   * before this method returns.
   *
   * @param attempt the attempt
   * @throws Exception an attempt that could not be made; it counts as the attempt's failure
   */
  void start(Attempt<R> attempt) throws Exception;

  /**
   * What a response means.
   *
   * @param response the response of the current attempt
   * @return the verdict
   */
  Verdict judge(R response);

  /**
   * What a failure means.
   *
   * @param failure the failure of the current attempt
   * @return the verdict
   */
  Verdict judge(Throwable failure);

  /**
   * Facts about an attempt that ended; exactly one of the arguments is given. Must not throw.
   *
   * @param response the response
   * @param failure the failure
   * @return the facts
   */
  Facts facts(@Nullable R response, @Nullable Throwable failure);

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
   * Whether the exchange bounds its attempts itself, by {@link Attempt#timeoutNanos}, because it
   * cannot cancel one attempt without cancelling the operation.
   *
   * @return false by default: the loop sets timers and calls what {@link Attempt#onCancel} was
   *     given
   */
  default boolean boundsAttempts() {
    return false;
  }

  /**
   * Frees what a response holds: it is followed by another attempt, or came too late.
   *
   * @param response a response that nobody gets
   */
  default void discard(R response) {}

  /**
   * Puts the report on the response that the caller gets.
   *
   * @param response the response
   * @param report what happened; the clean report for one clean attempt
   * @return the response to hand over
   */
  default R deliver(R response, RetryReport report) {
    return response;
  }

  /**
   * The exception for each end that comes from outside an attempt.
   *
   * @param end what happened
   * @param cause the exception behind it, if there is one
   * @return a new exception
   */
  Throwable failure(End end, @Nullable Throwable cause);

  /**
   * Runs what follows a cancellation, so that callbacks never run on the canceller's thread.
   *
   * @param continuation what to run
   */
  default void execute(Runnable continuation) {
    continuation.run();
  }

  /** An end that comes from outside an attempt. */
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

  /**
   * Facts about an attempt, for the report.
   *
   * @param status the status of the answer, -1 without one
   * @param sendState how far the request got
   * @param deliveries how often a request went to the wire, -1 if unknown
   * @param replayed whether the answer was marked as a replay
   */
  record Facts(int status, SendState sendState, int deliveries, boolean replayed) {

    /**
     * The same where an earlier request of the attempt may have been processed: what the server
     * refused is the last one alone.
     *
     * @return facts that prove nothing about the attempt
     */
    public Facts afterEarlierRequest() {
      return sendState == SendState.REFUSED_UNPROCESSED
          ? new Facts(status, SendState.ANSWERED, deliveries, replayed)
          : this;
    }
  }
}
