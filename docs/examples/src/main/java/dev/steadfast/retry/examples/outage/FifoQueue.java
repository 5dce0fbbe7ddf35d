package dev.steadfast.retry.examples.outage;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;

/**
 * An unbounded queue before a fixed number of workers, first come, first served. What was queued is
 * worked off, whether somebody still waits for it or not.
 *
 * <p>The departure is known at the arrival, so no thread has to play the worker, and a busy machine
 * can delay an answer but never the next one's. Used by one thread.
 */
final class FifoQueue {
  /** When each worker is free again, in working time. */
  private final PriorityQueue<Long> freeAt = new PriorityQueue<>();

  private final long meanServiceNanos;
  private final Stall stall;
  private final RandomGenerator random;

  FifoQueue(int workers, Duration meanService, Stall stall, RandomGenerator random) {
    this.meanServiceNanos = meanService.toNanos();
    this.stall = stall;
    this.random = random;
    for (int worker = 0; worker < workers; worker++) {
      freeAt.add(Long.MIN_VALUE);
    }
  }

  /**
   * Takes a request in.
   *
   * @param arrival no earlier than the arrivals before
   * @return when it is done
   */
  long departure(long arrival) {
    long begins = Math.max(stall.worked(arrival), freeAt.remove());
    long ends = begins + Math.round(random.nextExponential() * meanServiceNanos);
    freeAt.add(ends);
    return stall.clock(ends);
  }
}
