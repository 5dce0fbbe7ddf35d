package dev.steadfast.retry.threads;

import dev.steadfast.retry.limit.Schedules;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks come while a worker ends because it has none. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class WorkerPoolSchedulesTest {
  /** Every task is run by a worker, or one is there for it, or somebody looks after it. */
  public static class Tasks implements WorkerPool.Watch {
    private final Starts threads = new Starts();
    private final AtomicInteger added = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private volatile boolean watched;
    private final WorkerPool pool =
        new WorkerPool(this, threads, 0, new WorkerPool.Role("x", 1, false));

    @Operation
    public void add() {
      added.incrementAndGet();
      pool.execute(ran::incrementAndGet);
    }

    @Operation
    public void work() {
      threads.runNext();
    }

    @Validate
    public void noneIsLeftBehind() {
      int left = added.get() - ran.get();
      if (left < 0 || (left > 0 && threads.waiting() == 0 && !watched)) {
        throw new IllegalStateException(left + " tasks are left to nobody");
      }
      if (pool.workers() != threads.waiting()) {
        throw new IllegalStateException(pool.workers() + " workers, not " + threads.waiting());
      }
    }

    @Override
    public void watchPools() {
      watched = true;
    }

    @Override
    public boolean remainsStranded() {
      return false;
    }

    @Override
    public void wantsThreads() {
      pool.startWanted();
    }

    @Override
    public void cancelledLate() {}

    @Override
    public boolean handOver(TimedTask task) {
      return pool.handOver(task);
    }
  }

  @Test
  void noScheduleLeavesATaskBehind() {
    Schedules.checkPairs(Tasks.class);
  }
}
