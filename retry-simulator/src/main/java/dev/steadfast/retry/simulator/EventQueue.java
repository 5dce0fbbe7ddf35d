package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryScheduler;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time: what is to happen, in the order of its time, and in the order in which it was
 * scheduled where times are equal. It is also the scheduler and the clock of the library's loop, so
 * timeouts and waits happen here as well. Confined to one thread.
 *
 * <p>A binary heap. Most timeouts are cancelled. They stay in the heap until they are due, or until
 * they are the larger part of it. So its size depends on what is under way, and not on what has
 * already ended.
 */
final class EventQueue implements RetryScheduler {
  private static final int FEW = 1024;

  private Event[] heap = new Event[FEW];
  private int size;
  private int cancelled;
  private long scheduled;
  private long nowNanos;

  /** Something to happen. */
  private final class Event implements Task {
    private final long atNanos;
    private final long order;
    private @Nullable Runnable task; // null once it is cancelled or done

    Event(long atNanos, long order, Runnable task) {
      this.atNanos = atNanos;
      this.order = order;
      this.task = task;
    }

    boolean before(Event other) {
      return atNanos < other.atNanos || (atNanos == other.atNanos && order < other.order);
    }

    @Override
    public void cancel() {
      if (task != null) {
        task = null;
        cancelled++;
      }
    }
  }

  long nowNanos() {
    return nowNanos;
  }

  /** The time as a wall clock shows it, from 1970 on. */
  Clock clock() {
    InstantSource source = () -> Instant.ofEpochSecond(0, nowNanos);
    return source.withZone(ZoneOffset.UTC);
  }

  /** The environment of the library's loop. */
  RetryEnvironment environment(LongSupplier random) {
    return new RetryEnvironment(
        () -> nowNanos, () -> Instant.ofEpochSecond(0, nowNanos), random, this);
  }

  @Override
  public boolean isVirtual() {
    return true;
  }

  @Override
  public Task schedule(long delayNanos, Runnable task) {
    long atNanos = nowNanos + delayNanos;
    // One instant stands for all times beyond 292 years.
    Event event = new Event(atNanos < nowNanos ? Long.MAX_VALUE : atNanos, scheduled++, task);
    if (size == heap.length) {
      makeRoom();
    }
    siftUp(event, size++);
    return event;
  }

  @Override
  public boolean await(CountDownLatch wake, long nanos) {
    throw new UnsupportedOperationException("virtual time has no threads that wait");
  }

  /** Lets everything happen that is due up to a time, and moves the time there. */
  void runUntil(long endNanos) {
    while (size > 0 && heap[0].atNanos <= endNanos) {
      runNext();
    }
    nowNanos = Math.max(nowNanos, endNanos);
  }

  /** Lets everything happen that was scheduled and all that comes of it. */
  void runAll() {
    while (size > 0) {
      runNext();
    }
  }

  /** Lets the earliest event happen; there must be one. */
  void runNext() {
    Event event = heap[0];
    Event last = heap[--size];
    heap[size] = null;
    if (size > 0) {
      siftDown(last, 0);
    }
    Runnable task = event.task;
    if (task == null) {
      cancelled--;
      return;
    }
    event.task = null;
    nowNanos = event.atNanos;
    task.run();
  }

  /** How many events the heap holds, including those that were cancelled. */
  int size() {
    return size;
  }

  private void makeRoom() {
    if (cancelled > size / 2) {
      dropCancelled();
    }
    if (size > heap.length / 2) {
      heap = Arrays.copyOf(heap, heap.length * 2);
    }
  }

  private void dropCancelled() {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (heap[i].task != null) {
        heap[kept++] = heap[i];
      }
    }
    Arrays.fill(heap, kept, size, null);
    size = kept;
    cancelled = 0;
    for (int i = size / 2 - 1; i >= 0; i--) {
      siftDown(heap[i], i);
    }
  }

  private void siftUp(Event event, int from) {
    int index = from;
    while (index > 0) {
      int parent = (index - 1) >>> 1;
      if (!event.before(heap[parent])) {
        break;
      }
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = event;
  }

  private void siftDown(Event event, int from) {
    int index = from;
    while (2 * index + 1 < size) {
      int child = 2 * index + 1;
      if (child + 1 < size && heap[child + 1].before(heap[child])) {
        child++;
      }
      if (!heap[child].before(event)) {
        break;
      }
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = event;
  }
}
