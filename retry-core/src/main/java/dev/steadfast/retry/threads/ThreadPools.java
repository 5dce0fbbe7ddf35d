package dev.steadfast.retry.threads;

import java.util.function.Function;

/**
 * The pools of threads that may be held by code of the user's.
 *
 * @param workers go on with operations
 * @param cancellers end attempts on the wire
 * @param senders each carries out one call while its caller waits
 */
record ThreadPools(WorkerPool workers, WorkerPool cancellers, WorkerPool senders) {

  static ThreadPools of(int usualWorkers, Function<WorkerPool.Role, WorkerPool> pools) {
    return new ThreadPools(
        pools.apply(new WorkerPool.Role("worker", usualWorkers, false)),
        pools.apply(new WorkerPool.Role("canceller", 1, true)),
        pools.apply(new WorkerPool.Role("sender", Integer.MAX_VALUE, false)));
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
