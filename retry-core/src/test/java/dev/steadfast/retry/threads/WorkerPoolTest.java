package dev.steadfast.retry.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a pool grows from one look at it to the next. The times of the looks are made up. */
@Timeout(60)
class WorkerPoolTest {
  private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final CountDownLatch end = new CountDownLatch(1);
  private final Semaphore begun = new Semaphore(0);
  private final ThreadPools pools =
      ThreadPools.of(
          4,
          lane ->
              new WorkerPool(
                  new NoWatch(), WorkerThread::startDaemon, TimeUnit.MINUTES.toNanos(1), lane));
  private long now = System.nanoTime();

  @AfterEach
  void release() {
    end.countDown();
  }

  /** The test looks by itself. */
  private final class NoWatch implements WorkerPool.Watch {
    @Override
    public void watchPools() {}

    @Override
    public void wantsThreads() {
      pools.startWanted();
    }

    @Override
    public boolean remainsStranded() {
      return false;
    }

    @Override
    public void cancelledLate() {}

    @Override
    public boolean handOver(TimedTask task) {
      throw new AssertionError("no timers");
    }
  }

  private void block() {
    begun.release();
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Has tasks block, and counts the looks until all have begun. */
  private int looksUntilAllBegin(WorkerPool pool, int tasks) throws InterruptedException {
    for (int i = 0; i < tasks; i++) {
      pool.execute(this::block);
    }
    int looks = 0;
    int awaited = 0;
    while (true) {
      int more = Math.min(tasks, pool.workers()) - awaited;
      assertTrue(begun.tryAcquire(more, 30, TimeUnit.SECONDS));
      awaited += more;
      if (awaited == tasks) {
        return looks;
      }
      looks++;
      now += STEP_NANOS;
      assertTrue(pool.look(now));
    }
  }

  /**
   * Each step takes 20 ms: the first of them sees that the task is late, the next that it holds.
   */
  @Test
  void aHundredCancelsThatBlock_beginWithinEightSteps() throws Exception {
    assertEquals(8, looksUntilAllBegin(pools.cancellers(), 100));
    assertEquals(100, pools.cancellers().workers());
  }

  @Test
  void callbacksThatBlock_getAFewThreadsAtATime() throws Exception {
    assertEquals(15 + 36, looksUntilAllBegin(pools.workers(), 100));
  }
}
