package dev.steadfast.retry.soak;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What has begun and must end, once and in time: the operations as callers see them, as the
 * listener sees them, and the permits of their attempts.
 */
final class Ledger implements RetryListener, Guard {
  private static final long MARGIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_TOLD = 20; // of ends that are late

  private final Set<Entry> open = ConcurrentHashMap.newKeySet();
  private final Set<OperationInfo> listened = ConcurrentHashMap.newKeySet();
  private final Queue<String> defects = new ConcurrentLinkedQueue<>();
  private final AtomicInteger late = new AtomicInteger();
  private final Control control = new Control();
  private final AtomicInteger permits = new AtomicInteger();
  private final AtomicLong operations = new AtomicLong();
  private final AtomicLong attempts = new AtomicLong();
  private final AtomicReference<Late> latest = new AtomicReference<>(new Late("none", 0));

  /** How late something ended. */
  record Late(String what, long nanos) {
    Late later(Late other) {
      return nanos >= other.nanos ? this : other;
    }

    @Override
    public String toString() {
      return what + ", " + nanos / 1_000_000 + " ms after its time";
    }
  }

  /** Something that must end. */
  final class Entry {
    private final String what;
    private volatile long dueNanos;
    private final AtomicInteger ends = new AtomicInteger();
    private final AtomicBoolean told = new AtomicBoolean();

    private Entry(String what, long nanos) {
      this.what = what;
      this.dueNanos = System.nanoTime() + nanos;
    }

    /** It was cancelled, and ends at once. */
    void dueNow() {
      dueNanos = Math.min(dueNanos, System.nanoTime());
    }

    void ended() {
      int count = ends.incrementAndGet();
      open.remove(this);
      if (count > 1) {
        defect(what + " has ended " + count + " times");
      }
      long lateNanos = System.nanoTime() - dueNanos;
      latest.accumulateAndGet(new Late(what, lateNanos), Late::later);
      tellIfLate(lateNanos, "ended");
    }

    @Override
    public String toString() {
      return what + " (due " + (System.nanoTime() - dueNanos) / 1_000_000 + " ms ago)";
    }

    private void tellIfLate(long lateNanos, String state) {
      if (lateNanos < MARGIN_NANOS) {
        return;
      }
      long controlNanos = control.latestSince(dueNanos);
      if (lateNanos > MARGIN_NANOS + 2 * controlNanos && told.compareAndSet(false, true)) {
        if (late.incrementAndGet() <= MOST_TOLD) {
          defect(
              "%s %s %d ms after its time; the control at most %d ms"
                  .formatted(what, state, lateNanos / 1_000_000, controlNanos / 1_000_000));
        }
      }
    }
  }

  Entry begin(String what, long nanos) {
    Entry entry = new Entry(what, nanos);
    open.add(entry);
    return entry;
  }

  void defect(String text) {
    defects.add(text);
  }

  List<String> defects() {
    return List.copyOf(defects);
  }

  /** How many ends were late. */
  int late() {
    return late.get();
  }

  Control control() {
    return control;
  }

  long operations() {
    return operations.get();
  }

  long attempts() {
    return attempts.get();
  }

  /** The end that came latest after its time. */
  Late latest() {
    return latest.get();
  }

  /** Looks after what is overdue. */
  void check() {
    long now = System.nanoTime();
    open.forEach(each -> each.tellIfLate(now - each.dueNanos, "has not ended"));
  }

  boolean isQuiet() {
    return open.isEmpty() && listened.isEmpty() && permits.get() == 0;
  }

  /** To be called when nothing has begun for a time that is long enough for everything to end. */
  void requireQuiet() {
    check();
    if (!isQuiet()) {
      defect(
          "without new operations, open: %s as callers see it, %d as the listener does, %d permits"
              .formatted(open, listened.size(), permits.get()));
    }
  }

  @Override
  public void operationStarted(OperationInfo operation) {
    operations.incrementAndGet();
    if (!listened.add(operation)) {
      defect("the listener was told twice of a beginning");
    }
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    if (!listened.remove(operation)) {
      defect("the listener was told of an end without a beginning, or of a second one");
    }
  }

  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    return 0;
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    attempts.incrementAndGet();
    permits.incrementAndGet();
    return new CountedPermit();
  }

  private final class CountedPermit implements Permit {
    private final AtomicBoolean returned = new AtomicBoolean();

    private void give() {
      if (!returned.compareAndSet(false, true)) {
        defect("a permit was returned twice");
        return;
      }
      permits.decrementAndGet();
    }

    @Override
    public void succeeded(long elapsedNanos) {
      give();
    }

    @Override
    public void failed(Guard.Failure how, Throwable failure) {
      give();
    }

    @Override
    public void released() {
      give();
    }
  }
}
