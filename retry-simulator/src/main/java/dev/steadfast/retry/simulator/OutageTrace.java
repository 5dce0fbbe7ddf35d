package dev.steadfast.retry.simulator;

import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The events of one run, second by second. */
final class OutageTrace {
  private static final double WELL = 0.99;
  private static final int IN_A_ROW = 5;
  private static final int AFTER = 20;

  final long[] arrived; // operations, by the second in which they began
  final long[] served; // of those, the ones that succeeded in the end
  final long[] firstTries; // attempts, by the second in which they were sent
  final long[] retries;
  final long[] good; // operations that succeeded, by the second in which they did
  final long[] held; // first tries and retries that a breaker or a limit did not let out
  final double[] funded; // share of the clients whose budget would pay for a retry
  final double[] open; // share of the clients whose breaker is open
  private final int outageStart;
  private final int outageEnd;
  private final long perSecond;

  OutageTrace(OutageSpec spec) {
    int seconds = spec.seconds();
    this.arrived = new long[seconds];
    this.served = new long[seconds];
    this.firstTries = new long[seconds];
    this.retries = new long[seconds];
    this.good = new long[seconds];
    this.held = new long[seconds];
    this.funded = new double[seconds];
    this.open = new double[seconds];
    this.outageStart = second(spec.trigger().startNanos());
    this.outageEnd = second(spec.trigger().endNanos() + Durations.SECOND - 1);
    this.perSecond = Math.round(spec.arrivalsPerSecond());
  }

  private static int second(long nanos) {
    return (int) (nanos / Durations.SECOND);
  }

  /** Counts in the second of a time, if that is still looked at. */
  void count(long[] counts, long nanos) {
    int second = second(nanos);
    if (second < counts.length) {
      counts[second]++;
    }
  }

  int seconds() {
    return arrived.length;
  }

  /** Seconds from the end of the outage to the first of five good ones; -1 for never. */
  int recovery() {
    int row = 0;
    for (int second = outageEnd; second < arrived.length; second++) {
      row = served[second] >= WELL * arrived[second] ? row + 1 : 0;
      if (row == IN_A_ROW) {
        return second - IN_A_ROW + 1 - outageEnd;
      }
    }
    return -1;
  }

  /** Successes per second, from the start of the outage to 20 s after its end. */
  double goodput() {
    return IntStream.range(outageStart, outageEnd + AFTER)
        .mapToLong(second -> good[second])
        .average()
        .orElse(0);
  }

  /** Attempts that a breaker or a limit did not let out. */
  long refused() {
    return LongStream.of(held).sum();
  }

  long operations() {
    return IntStream.range(0, arrived.length).mapToLong(i -> arrived[i]).sum();
  }

  long failed() {
    return IntStream.range(0, arrived.length).mapToLong(i -> arrived[i] - served[i]).sum();
  }

  long attempts(int second) {
    return firstTries[second] + retries[second];
  }

  /** The busiest second. */
  long peak() {
    return IntStream.range(0, seconds()).mapToLong(this::attempts).max().orElse(0);
  }

  /** Attempts per second in the second half of what follows the outage. */
  double steady() {
    return attemptsBetween((outageEnd + seconds()) / 2, seconds());
  }

  double attemptsBetween(int from, int to) {
    return IntStream.range(from, to).mapToLong(this::attempts).average().orElse(0);
  }

  /** Attempts during the outage, as a multiple of the first tries that come without one. */
  double loadDuring() {
    return attemptsBetween(outageStart, outageEnd) / perSecond;
  }
}
