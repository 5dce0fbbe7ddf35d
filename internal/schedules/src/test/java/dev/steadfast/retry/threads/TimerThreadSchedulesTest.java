package dev.steadfast.retry.threads;

import dev.steadfast.retry.limit.Schedules;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Timers are set and cancelled while the thread of the timers ends because there are none. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TimerThreadSchedulesTest {
  /** Every timer that is due has come, or there is a thread for it. */
  public static class Timers {
    private final Starts threads = new Starts();
    private final AtomicInteger set = new AtomicInteger();
    private final AtomicInteger came = new AtomicInteger();
    private final TimerThread timers = new TimerThread(threads, 0, 1);

    @Operation
    public void set() {
      set.incrementAndGet();
      timers.settle(0, came::incrementAndGet);
    }

    @Operation
    public void setAndCancel() {
      timers.settle(0, () -> {}).cancel(); // due, for the test has no time to wait
    }

    @Operation
    public void keepTime() {
      threads.runNext();
    }

    @Validate
    public void noneIsLeftBehind() {
      int left = set.get() - came.get();
      if (left < 0 || (left > 0 && threads.waiting() == 0) || threads.waiting() > 1) {
        throw new IllegalStateException(left + " timers, and " + threads.waiting() + " threads");
      }
    }
  }

  @Test
  void noScheduleLeavesATimerToNobody() {
    Schedules.checkPairs(Timers.class);
  }
}
