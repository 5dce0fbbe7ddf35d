package dev.steadfast.retry.engine;

import org.jspecify.annotations.Nullable;

/**
 * An attempt, as the {@link Race} that settles it sees it.
 *
 * @param <R> the response
 */
interface RacedAttempt<R> {
  Operation<R> operation();

  /** Whether the calling thread waits for the outcome. */
  boolean blocking();

  boolean sendingBody();

  /**
   * The time that is left in this phase, 0 if it is up; {@link Long#MAX_VALUE} where nothing, or
   * the client itself, bounds the attempt.
   */
  long leftNanos(Phase open, long nowNanos);

  void userCodeFailed(Throwable thrown);

  /** Called once, by the winner: what the attempt ended with. */
  void endWith(@Nullable R response, @Nullable Throwable failure);

  /** Called after it: the operation goes on. */
  void handOver();
}
