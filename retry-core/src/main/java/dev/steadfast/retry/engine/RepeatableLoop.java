package dev.steadfast.retry.engine;

import dev.steadfast.retry.OperationInfo;

/**
 * The loop of an operation whose request may come again: an interceptor around the client's own
 * layer may send it a second time, with a new token for example. All runs are one operation:
 * attempt numbers, the deadline and {@code maxAttempts} go on from run to run, and reports tell of
 * all attempts so far. Each run makes one attempt at least, unless time is up. Listeners, budget
 * and guards hear of one begin, and of one end, when the loop is closed.
 *
 * <p>Call {@code run} first, then {@link #runAgain} as often as needed, then {@link #close}; never
 * two at the same time.
 *
 * @param <R> the response
 */
public final class RepeatableLoop<R> implements AutoCloseable {
  private final OperationLoop<R> loop;

  private RepeatableLoop(OperationLoop<R> loop) {
    this.loop = loop;
  }

  /**
   * An operation that has not begun.
   *
   * @param plan what applies to all operations
   * @param info what identifies this one
   * @param transport how the attempts of the first run are made
   * @param <R> the response
   * @return a new loop
   */
  public static <R> RepeatableLoop<R> of(
      RetryPlan plan, OperationInfo info, RetryTransport<R> transport) {
    return new RepeatableLoop<>(new OperationLoop<>(new Operation<>(plan, info, transport, true)));
  }

  /**
   * Carries the operation out on the calling thread.
   *
   * @param boundNanos a bound on the operation in addition to the policy's; {@link Long#MAX_VALUE}
   *     for none
   * @return the response
   * @throws Throwable the failure, with its report
   */
  public R run(long boundNanos) throws Throwable {
    return loop.run(boundNanos);
  }

  /**
   * Goes on with the operation on the calling thread.
   *
   * @param transport how the attempts of this run are made
   * @param boundNanos a bound on the operation in addition to the policy's, from now on; {@link
   *     Long#MAX_VALUE} for none
   * @return the response
   * @throws Throwable the failure, with a report on all attempts so far
   */
  public R runAgain(RetryTransport<R> transport, long boundNanos) throws Throwable {
    return loop.runAgain(transport, boundNanos);
  }

  /** As {@link RetryLoop#cancel}; may be called from any thread. */
  public void cancel() {
    loop.cancel();
  }

  /** Tells of the end of the operation, with what the last run ended with. Does not throw. */
  @Override
  public void close() {
    loop.close();
  }
}
