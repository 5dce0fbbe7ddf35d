package dev.steadfast.retry.threads;

import dev.steadfast.retry.limit.Schedules;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** A timer is cancelled while the thread of the timers takes it out of its inbox. */
class TimedTaskSchedulesTest {
  /** What is cancelled in the heap must be unlinked: one of the two threads has to know. */
  public static class Cancels implements TimedTask.Keeper {
    private final TimedTask task = TimedTask.continuing(this, 0, () -> {});
    private volatile boolean cancelled;
    private volatile boolean inHeap;
    private volatile boolean known;

    @Override
    public void cancelledLate() {
      known = true;
    }

    @Override
    public boolean handOver(TimedTask due) {
      return true;
    }

    @Operation
    public void cancel() {
      task.cancel();
      cancelled = true;
    }

    /** As the thread of the timers does it. */
    @Operation(runOnce = true)
    public void takeIn() {
      boolean waits = task.waits();
      task.leaveInbox();
      if (!task.waits()) {
        known = true;
      }
      inHeap = waits;
    }

    @Validate
    public void noneIsForgotten() {
      if (cancelled && inHeap && !known) {
        throw new IllegalStateException("a cancelled timer stays in the heap");
      }
    }
  }

  @Test
  void noScheduleLeavesACancelledTimerBehind() {
    Schedules.checkPairs(Cancels.class);
  }
}
