package dev.steadfast.retry;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A listener is told of each step of an operation: enough for counters and a span per attempt.
 *
 * <p>The events of one operation come one after the other, in the order of the methods below, from
 * the thread that drives the operation. Events of different operations come at the same time, so an
 * implementation must be safe for use by many threads. It must not block. An exception of it is
 * logged and changes nothing.
 */
public interface RetryListener {

  /**
   * An operation begins. First of all events.
   *
   * @param operation the same object in all events of the operation
   */
  default void operationStarted(OperationInfo operation) {}

  /**
   * The calling thread is about to hand an attempt to the client. A listener can set thread-local
   * values for the client here, such as a trace context. It is called again on each other thread of
   * the client that goes on with the attempt.
   *
   * @param operation the operation
   * @param attempt the number, from 1; the attempt may be refused before it starts
   * @return closed on the same thread when the client has taken the attempt, and in a blocking
   *     operation when the attempt is over; null, as by default, if nothing is to be closed
   */
  default @Nullable AutoCloseable enterAttempt(OperationInfo operation, int attempt) {
    return null;
  }

  /**
   * An attempt leaves the client's own queue for the wire.
   *
   * @param operation the operation
   * @param attempt the number, from 1
   * @param request what is sent: the client's own request object with the headers of this attempt,
   *     but for those of {@code HttpRetry.Builder.oncePerAttempt}; for work that is not HTTP the
   *     {@link OperationInfo}
   */
  default void attemptStarted(OperationInfo operation, int attempt, Object request) {}

  /**
   * An attempt ended: with a response head, an exception, a timeout or a cancellation.
   *
   * @param operation the operation
   * @param attempt how it went
   */
  default void attemptEnded(OperationInfo operation, AttemptReport attempt) {}

  /**
   * Something has become known of a connection that the attempt uses, or that attempts avoid.
   * Called for the attempt that shows it, while it runs or when it ends.
   *
   * @param operation the operation
   * @param event what is known
   */
  default void pathChanged(OperationInfo operation, PathEvent event) {}

  /**
   * Another attempt follows after a wait.
   *
   * @param operation the operation
   * @param delay how long the wait is
   * @param why what its length comes from
   */
  default void waiting(OperationInfo operation, Duration delay, DelayReason why) {}

  /**
   * The operation is over. Last of all events, and there is exactly one.
   *
   * @param operation the operation
   * @param report what happened
   */
  default void ended(OperationInfo operation, RetryReport report) {}
}
