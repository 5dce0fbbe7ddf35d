package dev.steadfast.retry.examples.outage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A server at 70 % of its capacity that does nothing, or fails at once, for ten seconds, and then
 * works as before. Times are nanoseconds since the first second that counts.
 */
final class Scenario {
  static final int WORKERS = 10;
  static final Duration MEAN_SERVICE = Duration.ofMillis(100);

  /** What the server can do per second. */
  static final int CAPACITY = 100;

  /** First tries per second. */
  static final int LOAD = 70;

  static final Duration TIMEOUT = Duration.ofSeconds(1);
  static final int MAX_ATTEMPTS = 4;

  static final int STALL_BEGINS = 10;
  static final int STALL = 10;
  static final int STALL_ENDS = STALL_BEGINS + STALL;

  /** Goodput is that of the outage and of so many seconds after it. */
  static final int AFTERMATH = 20;

  /** What has not recovered so many seconds after the stall counts as never. */
  static final int PATIENCE = 60;

  /** Five more than the patience: recovery is five good seconds in a row. */
  static final int SECONDS = STALL_ENDS + PATIENCE + Tally.GOOD_SECONDS;

  /** Before the first second: calls, and calls that fail, so that the code of both is compiled. */
  static final int WARM_UP = 8;

  static final long SECOND = Duration.ofSeconds(1).toNanos();

  private static final int WARM_UP_LOAD = 10;

  /** Typical: without retries it recovers within a second of the median of all seeds. */
  static final long SEED = 7;

  private Scenario() {}

  private static final Stall NEVER = new Stall(0, 0);
  private static final Stall OUTAGE = new Stall(STALL_BEGINS * SECOND, STALL_ENDS * SECOND);

  /** A server with the draws that each run's server makes. */
  static World world(World.Kind kind, long seed) {
    return kind == World.Kind.STALL
        ? new World(kind, queue(OUTAGE, seed), NEVER)
        : new World(kind, queue(NEVER, seed), OUTAGE);
  }

  private static FifoQueue queue(Stall stall, long seed) {
    return new FifoQueue(WORKERS, MEAN_SERVICE, stall, new SplittableRandom(seed));
  }

  /** A server that answers nothing until the first second is near. */
  static World stalledWorld() {
    Stall stall = new Stall(-WARM_UP * SECOND, 0);
    return new World(
        World.Kind.STALL,
        new FifoQueue(WORKERS, MEAN_SERVICE, stall, new SplittableRandom()),
        NEVER);
  }

  /** When the first tries begin: a Poisson process, the same for all runs. */
  static List<Long> arrivals(long seed) {
    List<Long> arrivals = new ArrayList<>();
    RandomGenerator random = new SplittableRandom(~seed);
    double at = -(WARM_UP - 1);
    while (at < SECONDS) {
      arrivals.add(Math.round(at * SECOND));
      at += random.nextExponential() / (at < 0 ? WARM_UP_LOAD : LOAD);
    }
    return arrivals;
  }

  /** The run without retries in virtual time: same draws, no sockets, no clock. */
  static Tally onPaper(long seed) {
    Tally tally = new Tally(SECONDS);
    FifoQueue queue = queue(OUTAGE, seed);
    for (long arrival : arrivals(seed)) {
      tally.attempted(arrival, false);
      tally.began(arrival);
      if (queue.departure(arrival) - arrival <= TIMEOUT.toNanos()) {
        tally.succeeded(arrival);
      }
    }
    return tally;
  }
}
