package dev.steadfast.retry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened to the attempts of one operation, in arrays that the next operation uses again: a
 * report is made where somebody gets one. Keeps the latest attempts only.
 */
final class WorkHistory {
  private static final int FIRST_SIZE = 8;
  private static final int MOST = 100;

  private @Nullable Throwable[] failures = new Throwable[FIRST_SIZE];
  private @Nullable FailureKind[] kinds = new FailureKind[FIRST_SIZE];
  private long[] starts = new long[FIRST_SIZE];
  private long[] ends = new long[FIRST_SIZE];
  private long[] waits = new long[FIRST_SIZE];

  private long beganNanos;
  private long waitedNanos;
  private int attempts;

  void begin(long beganNanos) {
    this.beganNanos = beganNanos;
    this.waitedNanos = 0;
    this.attempts = 0;
  }

  void attempt(@Nullable Throwable failure, long startNanos, long endNanos, long waitedBefore) {
    if (attempts == failures.length && attempts < MOST) {
      grow(Math.min(MOST, attempts * 2));
    }
    int slot = attempts++ % failures.length;
    failures[slot] = failure;
    kinds[slot] = FailureKind.OTHER;
    starts[slot] = startNanos;
    ends[slot] = endNanos;
    waits[slot] = waitedBefore;
  }

  private void grow(int size) {
    failures = Arrays.copyOf(failures, size);
    kinds = Arrays.copyOf(kinds, size);
    starts = Arrays.copyOf(starts, size);
    ends = Arrays.copyOf(ends, size);
    waits = Arrays.copyOf(waits, size);
  }

  void judged(Verdict verdict) {
    kinds[lastSlot()] = Permits.kind(verdict);
  }

  /** A function of the user's failed on what the attempt ended with. */
  void failed(Throwable broken) {
    failures[lastSlot()] = broken;
    kinds[lastSlot()] = FailureKind.OTHER;
  }

  void waiting(long nanos) {
    waitedNanos = Durations.saturatedAdd(waitedNanos, nanos);
  }

  AttemptReport last() {
    return report(attempts);
  }

  RetryReport report(StopReason reason, long nowNanos, OperationInfo info) {
    List<AttemptReport> reports = new ArrayList<>();
    for (int number = Math.max(1, attempts - MOST + 1); number <= attempts; number++) {
      reports.add(report(number));
    }
    return new RetryReport(
        reason,
        new RetryReport.Totals(attempts, nowNanos - beganNanos, waitedNanos, Hint.none()),
        reports,
        // Whoever calls work cannot know what it did before it failed.
        new RetryReport.Flags(true, attempts > 1, false),
        info);
  }

  private AttemptReport report(int number) {
    int slot = (number - 1) % failures.length;
    Exchange.Facts facts = Work.facts(failures[slot]);
    return new AttemptReport(
        number,
        new AttemptReport.Timing(starts[slot] - beganNanos, ends[slot] - starts[slot], waits[slot]),
        new AttemptReport.Result(
            facts.status(), failures[slot], kinds[slot], facts.sendState(), facts.deliveries()));
  }

  private int lastSlot() {
    return (attempts - 1) % failures.length;
  }

  /** Lets go of what belonged to the operation. */
  void clear() {
    Arrays.fill(failures, null);
  }
}
