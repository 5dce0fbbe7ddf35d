package dev.steadfast.retry.examples.outage;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * What happened in each second of a run: operations by the second in which they began, attempts.
 */
final class Timeline {
  private final int seconds;
  private final AtomicIntegerArray operations;
  private final AtomicIntegerArray failures;
  private final AtomicIntegerArray attempts;

  Timeline(int seconds) {
    this.seconds = seconds;
    this.operations = new AtomicIntegerArray(seconds);
    this.failures = new AtomicIntegerArray(seconds);
    this.attempts = new AtomicIntegerArray(seconds);
  }

  void operation(int second) {
    count(operations, second);
  }

  void failure(int second) {
    count(failures, second);
  }

  void attempt(int second) {
    count(attempts, second);
  }

  private void count(AtomicIntegerArray counts, int second) {
    if (second >= 0 && second < seconds) {
      counts.incrementAndGet(second);
    }
  }

  int attempts(int second) {
    return attempts.get(second);
  }

  int failures() {
    int sum = 0;
    for (int second = 0; second < seconds; second++) {
      sum += failures.get(second);
    }
    return sum;
  }

  int operations() {
    int sum = 0;
    for (int second = 0; second < seconds; second++) {
      sum += operations.get(second);
    }
    return sum;
  }

  int peakAttempts() {
    int most = 0;
    for (int second = 0; second < seconds; second++) {
      most = Math.max(most, attempts.get(second));
    }
    return most;
  }

  /**
   * Seconds from the end of the outage to the first of five seconds in a row in which at least 99 %
   * of the operations succeeded; -1 if there is none.
   */
  int recovery(int outageEnd) {
    for (int start = outageEnd; start + 5 <= seconds; start++) {
      boolean good = true;
      for (int second = start; second < start + 5; second++) {
        good &= failures.get(second) * 100 <= operations.get(second);
      }
      if (good) {
        return start - outageEnd;
      }
    }
    return -1;
  }
}
