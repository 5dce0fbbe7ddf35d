package dev.steadfast.retry.threads;

import dev.steadfast.retry.limit.Schedules;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Two threads add tasks to a queue and take them out. */
class TaskQueueSchedulesTest {
  /** No task is lost, and none is taken twice. Which one comes first is left open. */
  public static class Tasks {
    private final TaskQueue queue = new TaskQueue();

    private static TimedTask task() {
      return TimedTask.continuing(new Unheard(), 0, () -> {});
    }

    @Operation
    public void addEnd() {
      queue.addEnd(task());
    }

    @Operation
    public void addBegin() {
      queue.addBegin(task());
    }

    @Operation
    public boolean poll() {
      TimedTask task = queue.poll();
      return task != null && task.take() != null;
    }

    @Operation
    public boolean pollNewestEnd() {
      TimedTask task = queue.pollNewest(true);
      return task != null && task.take() != null;
    }
  }

  /** Nobody keeps the time of these tasks. */
  private static final class Unheard implements TimedTask.Keeper {
    @Override
    public void cancelledLate() {}

    @Override
    public boolean handOver(TimedTask task) {
      return true;
    }
  }

  @Test
  void noScheduleLosesATask_orHandsOneOutTwice() {
    Schedules.check(Tasks.class);
  }
}
