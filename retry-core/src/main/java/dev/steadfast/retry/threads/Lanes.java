package dev.steadfast.retry.threads;

import java.util.function.Function;

/**
 * The pools of threads that may be held by code of the user's.
 *
 * @param workers go on with operations
 * @param cancellers end attempts on the wire
 * @param senders each carries out one call while its caller waits
 */
record Lanes(WorkerPool workers, WorkerPool cancellers, WorkerPool senders) {

  static Lanes of(int usualWorkers, Function<WorkerPool.Lane, WorkerPool> pools) {
    return new Lanes(
        pools.apply(new WorkerPool.Lane("worker", usualWorkers, false)),
        pools.apply(new WorkerPool.Lane("canceller", 1, true)),
        pools.apply(new WorkerPool.Lane("sender", Integer.MAX_VALUE, false)));
  }

  /** As {@link WorkerPool#look}. */
  boolean look(long nowNanos) {
    boolean work = workers.look(nowNanos);
    boolean cancels = cancellers.look(nowNanos);
    boolean sends = senders.look(nowNanos);
    return work || cancels || sends;
  }

  /** As {@link WorkerPool#startWanted}. */
  void startWanted() {
    workers.startWanted();
    cancellers.startWanted();
    senders.startWanted();
  }

  boolean hasWork() {
    return workers.hasWork() || cancellers.hasWork() || senders.hasWork();
  }
}
