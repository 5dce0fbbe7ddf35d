package dev.steadfast.retry.threads;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a {@link WorkerPool} that no worker has taken yet. Tasks that end an attempt or an
 * operation come before those that begin the next attempt. Safe for use by many threads.
 */
final class TaskQueue {
  private final Deque<TimedTask> ends = new ConcurrentLinkedDeque<>();
  private final Deque<TimedTask> begins = new ConcurrentLinkedDeque<>();

  /** Adds what follows an end. */
  void addEnd(TimedTask task) {
    ends.add(task);
  }

  /** Adds what follows a wait. */
  void addBegin(TimedTask task) {
    begins.add(task);
  }

  void remove(TimedTask end) {
    ends.remove(end);
  }

  boolean isEmpty() {
    return ends.isEmpty() && begins.isEmpty();
  }

  /** How many tasks there are, counted up to a number. */
  int sizeUpTo(int most) {
    return (int) Stream.concat(ends.stream(), begins.stream()).limit(most).count();
  }

  /** The task that a worker takes usually, null for none. */
  @Nullable TimedTask poll() {
    TimedTask end = ends.pollFirst();
    return end == null ? begins.pollFirst() : end;
  }

  /**
   * The newest task of a kind, null for none.
   *
   * @param end whether it follows an end
   */
  @Nullable TimedTask pollNewest(boolean end) {
    return (end ? ends : begins).pollLast();
  }

  /** Whether a task was due before that time. */
  boolean isAnyDueBefore(long nanos) {
    return isDueBefore(ends.peekFirst(), nanos) || isDueBefore(begins.peekFirst(), nanos);
  }

  private static boolean isDueBefore(@Nullable TimedTask task, long nanos) {
    return task != null && task.dueNanos() - nanos < 0;
  }
}
