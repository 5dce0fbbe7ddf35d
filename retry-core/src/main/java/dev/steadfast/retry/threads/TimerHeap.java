package dev.steadfast.retry.threads;

import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Timers in a binary heap, the earliest first. Times are kept beside the timers, so that sorting
 * reads no object, and are compared by their difference, as {@link System#nanoTime} asks. Confined
 * to one thread at a time.
 *
 * @param <T> the timers
 */
final class TimerHeap<T> {
  private static final int SMALLEST = 64;

  private long[] times = new long[SMALLEST];
  private @Nullable Object[] timers = new Object[SMALLEST];
  private int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** When the earliest timer is due; there must be one. */
  long firstDueNanos() {
    return times[0];
  }

  /** Adds a timer. If memory runs out, the heap does not change. */
  void add(long dueNanos, T timer) {
    if (size == times.length) {
      resize(size + (size >> 2));
    }
    siftUp(size++, dueNanos, timer);
  }

  /**
   * Removes the timers that are due, as long as they are taken. The first ones are offered in the
   * order of their times. If many are due, the rest is offered in one pass over the heap and in no
   * order, because removing each one by itself would take longer.
   *
   * @param taken false if the timer stays
   */
  void removeDue(long nowNanos, Predicate<T> taken) {
    int inOrder = Math.max(SMALLEST, size / 32);
    while (size > 0 && times[0] - nowNanos <= 0) {
      if (inOrder-- == 0) {
        removeDueUnordered(nowNanos, taken);
        return;
      }
      if (!taken.test(timer(0))) {
        return;
      }
      removeFirst();
    }
  }

  /** Removes the timers that a condition holds for. */
  void removeIf(Predicate<T> leaves) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (!leaves.test(timer(i))) {
        keep(i, kept++);
      }
    }
    shrinkTo(kept);
  }

  private void removeDueUnordered(long nowNanos, Predicate<T> taken) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (times[i] - nowNanos > 0 || !taken.test(timer(i))) {
        keep(i, kept++);
      }
    }
    shrinkTo(kept);
  }

  private void keep(int from, int to) {
    times[to] = times[from];
    timers[to] = timers[from];
  }

  private void shrinkTo(int kept) {
    if (kept == size) {
      return;
    }
    Arrays.fill(timers, kept, size, null);
    size = kept;
    if (times.length > SMALLEST && size < times.length / 4) {
      resize(Math.max(SMALLEST, size * 2));
    }
    for (int i = (size >>> 1) - 1; i >= 0; i--) {
      siftDown(i, times[i], timer(i));
    }
  }

  private void removeFirst() {
    int last = --size;
    long lastTime = times[last];
    T lastTimer = timer(last);
    timers[last] = null;
    if (last > 0) {
      siftDown(0, lastTime, lastTimer);
    } else if (times.length > SMALLEST) {
      resize(SMALLEST);
    }
  }

  private void resize(int capacity) {
    long[] newTimes = Arrays.copyOf(times, capacity);
    timers = Arrays.copyOf(timers, capacity);
    times = newTimes;
  }

  private void siftUp(int from, long time, T timer) {
    int at = from;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (time - times[parent] >= 0) {
        break;
      }
      keep(parent, at);
      at = parent;
    }
    times[at] = time;
    timers[at] = timer;
  }

  private void siftDown(int from, long time, T timer) {
    int at = from;
    int half = size >>> 1;
    while (at < half) {
      int child = 2 * at + 1;
      if (child + 1 < size && times[child + 1] - times[child] < 0) {
        child++;
      }
      if (time - times[child] <= 0) {
        break;
      }
      keep(child, at);
      at = child;
    }
    times[at] = time;
    timers[at] = timer;
  }

  @SuppressWarnings({
    "unchecked",
    "NullAway"
  }) // only timers are put in, and there is one up to size
  private T timer(int index) {
    return (T) timers[index];
  }
}
