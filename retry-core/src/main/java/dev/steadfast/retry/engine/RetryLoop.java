package dev.steadfast.retry.engine;

import dev.steadfast.retry.OperationInfo;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The one retry loop. It drives a {@link RetryTransport} through its attempts, decides what follows
 * each of them, and waits: on the calling thread for {@link #run}, on the scheduler, holding no
 * thread, for {@link #start}.
 *
 * <p>One object per operation; it is run or started once. {@link #cancel}, {@link #interrupt} and
 * {@link #extendBound} may come from any thread.
 *
 * @param <R> the response
 */
public interface RetryLoop<R> extends OperationFuture.Source<R> {

  /**
   * An operation that has not begun.
   *
   * @param plan what applies to all operations
   * @param info what identifies this one
   * @param transport how attempts are made
   * @param <R> the response
   * @return a new loop
   */
  static <R> RetryLoop<R> of(RetryPlan plan, OperationInfo info, RetryTransport<R> transport) {
    return new OperationLoop<>(plan, info, transport);
  }

  /**
   * Carries the operation out on the calling thread.
   *
   * @param boundNanos a bound on the operation in addition to the policy's; {@link Long#MAX_VALUE}
   *     for none
   * @return the response
   * @throws Throwable the failure, with its report
   */
  R run(long boundNanos) throws Throwable;

  /**
   * As {@link #run}, on a thread of the library's while the calling thread waits: for workers of
   * fork-join pools, which run other tasks of their pool while they wait within a client. An
   * interrupt of the calling thread ends the operation.
   *
   * @param plan what applies to the operation
   * @param boundNanos a bound on the operation in addition to the policy's; {@link Long#MAX_VALUE}
   *     for none
   * @return the response
   * @throws Throwable the failure, with its report
   */
  default R runApart(RetryPlan plan, long boundNanos) throws Throwable {
    return new OffloadedCall<>(() -> run(boundNanos), this::interrupt, plan.context())
        .call(plan.threads());
  }

  /**
   * Carries the operation out without a thread of its own.
   *
   * @param boundNanos a bound on the operation in addition to the policy's; {@link Long#MAX_VALUE}
   *     for none
   * @param completion gets the response or the failure, once
   */
  void start(long boundNanos, BiConsumer<@Nullable R, @Nullable Throwable> completion);

  /**
   * As {@link #start(long, BiConsumer)}, with a future for the outcome. Cancelling it, or any
   * future derived from it, ends the operation; so does completing it from outside.
   *
   * @param boundNanos a bound on the operation in addition to the policy's; {@link Long#MAX_VALUE}
   *     for none
   * @param <T> the type that the caller sees
   * @param result makes the caller's result of the response
   * @param failure makes what the future fails with of the failure; {@link
   *     java.util.concurrent.CancellationException}s are not passed to it
   * @return the future
   */
  default <T> CompletableFuture<T> start(
      long boundNanos, Function<R, @Nullable T> result, UnaryOperator<Throwable> failure) {
    OperationFuture<R, T> future = new OperationFuture<>(this, result, failure);
    start(boundNanos, future);
    return future;
  }

  /** Ends the operation at once: its wait, its attempt, and all that would follow. */
  @Override
  void cancel();

  /** As {@link #cancel}, because the thread that waits for the result was interrupted. */
  void interrupt();

  /**
   * As {@link Attempt#extendBound}, where the operation waits for its next attempt.
   *
   * @param boundNanos the bound from now on; {@link Long#MAX_VALUE} for none
   */
  void extendBound(long boundNanos);

  /**
   * Frees what a response of this operation holds, for which nobody waits any more.
   *
   * @param response the response
   */
  @Override
  void discard(R response);
}
