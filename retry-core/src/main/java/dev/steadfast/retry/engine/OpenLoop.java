package dev.steadfast.retry.engine;

import dev.steadfast.retry.OperationInfo;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The loop of an operation whose request may come by again: an interceptor around the client's own
 * layer may send it a second time, with a new token for one. All runs are one operation. Attempts
 * are numbered through, the deadline and {@code maxAttempts} are those of the whole, and reports
 * tell of all attempts so far. Each run makes one attempt at least, unless time is up. Listeners,
 * budget and guards hear of one begin, and of one end, when the loop is closed.
 *
 * <p>A {@code run} comes first, then {@link #runAgain} as often as needed, then {@link #close}. No
 * two of them at the same time.
 *
 * @param <R> the response
 */
public final class OpenLoop<R> implements AutoCloseable {
  private final OperationLoop<R> loop;

  private OpenLoop(OperationLoop<R> loop) {
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
  public static <R> OpenLoop<R> of(
      RetryPlan plan, OperationInfo info, RetryTransport<R> transport) {
    return new OpenLoop<>(
        new OperationLoop<>(new Operation<>(plan, info, transport, new DeferredEnd())));
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
    return loop.run(boundNanos, 0);
  }

  /**
   * As {@link #run(long)}, where a part of the total timeout is over: another operation of the same
   * call began earlier, and both have the deadline of the call.
   *
   * @param boundNanos a bound on the operation in addition to the policy's, from now on; {@link
   *     Long#MAX_VALUE} for none
   * @param spentNanos how long ago the first operation of the call began
   * @return the response
   * @throws Throwable the failure, with its report
   */
  public R run(long boundNanos, long spentNanos) throws Throwable {
    return loop.run(boundNanos, spentNanos);
  }

  /**
   * As {@link #run(long, long)}, without a thread of its own. It is not run again.
   *
   * @param boundNanos a bound on the operation in addition to the policy's, from now on; {@link
   *     Long#MAX_VALUE} for none
   * @param spentNanos how long ago the first operation of the call began
   * @param completion gets the response or the failure, once, after the loop was closed
   */
  public void start(
      long boundNanos, long spentNanos, BiConsumer<@Nullable R, @Nullable Throwable> completion) {
    loop.start(
        boundNanos,
        spentNanos,
        (response, failure) -> {
          close();
          completion.accept(response, failure);
        });
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
