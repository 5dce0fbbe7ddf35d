package dev.steadfast.retry.examples.outage;

import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/**
 * What happened in each second of a run. Operations are counted in the second in which they began,
 * attempts in the second in which they reached the server. Safe for use by many threads.
 */
final class Tally {
  /** So many in a row, with 99 % of their operations successful, are a recovery. */
  static final int GOOD_SECONDS = 5;

  private final AtomicIntegerArray began;
  private final AtomicIntegerArray succeeded;
  private final AtomicIntegerArray firstTries;
  private final AtomicIntegerArray retries;
  private final AtomicInteger refused = new AtomicInteger();
  private volatile boolean over;

  Tally(int seconds) {
    began = new AtomicIntegerArray(seconds);
    succeeded = new AtomicIntegerArray(seconds);
    firstTries = new AtomicIntegerArray(seconds);
    retries = new AtomicIntegerArray(seconds);
  }

  void began(long at) {
    count(began, at);
  }

  void succeeded(long beganAt) {
    count(succeeded, beganAt);
  }

  void attempted(long at, boolean retry) {
    count(retry ? retries : firstTries, at);
  }

  /** A breaker or a limit ended an operation. */
  void refused() {
    if (!over) {
      refused.incrementAndGet();
    }
  }

  // What happens before the first second, or after the last, does not count.
  private void count(AtomicIntegerArray seconds, long at) {
    long second = Math.floorDiv(at, Scenario.SECOND);
    if (!over && second >= 0 && second < seconds.length()) {
      seconds.incrementAndGet((int) second);
    }
  }

  /** What comes later does not count, so that all that is printed is of one piece. */
  void end() {
    over = true;
  }

  int seconds() {
    return began.length();
  }

  /** Successful operations among those that began in a second. */
  int succeededIn(int second) {
    return succeeded.get(second);
  }

  int firstTriesIn(int second) {
    return firstTries.get(second);
  }

  int attemptsIn(int second) {
    return firstTries.get(second) + retries.get(second);
  }

  /** Attempts in the busiest second. */
  int peak() {
    return IntStream.range(0, seconds()).map(this::attemptsIn).max().orElse(0);
  }

  /** Attempts per second in the last seconds. */
  double finalRate(int lastSeconds) {
    return IntStream.range(seconds() - lastSeconds, seconds())
        .map(this::attemptsIn)
        .average()
        .orElse(0);
  }

  /** The share of the operations that succeeded, of those that began from one second to another. */
  double goodput(int from, int to) {
    int operations = IntStream.range(from, to).map(began::get).sum();
    int good = IntStream.range(from, to).map(succeeded::get).sum();
    return operations == 0 ? 1 : (double) good / operations;
  }

  /** Operations that a breaker or a limit ended. */
  int refusals() {
    return refused.get();
  }

  int operations() {
    return sum(began);
  }

  int failed() {
    return sum(began) - sum(succeeded);
  }

  private static int sum(AtomicIntegerArray seconds) {
    return IntStream.range(0, seconds.length()).map(seconds::get).sum();
  }

  /**
   * When the operations succeed again.
   *
   * @param end the second in which the outage ends
   * @return seconds from then to the first of five good ones in a row; empty if there are none
   */
  OptionalInt recovery(int end) {
    return IntStream.rangeClosed(end, seconds() - GOOD_SECONDS)
        .filter(first -> IntStream.range(first, first + GOOD_SECONDS).allMatch(this::good))
        .map(first -> first - end)
        .findFirst();
  }

  private boolean good(int second) {
    return succeeded.get(second) * 100 >= began.get(second) * 99;
  }
}
