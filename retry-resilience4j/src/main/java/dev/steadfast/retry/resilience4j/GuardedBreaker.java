package dev.steadfast.retry.resilience4j;

import dev.steadfast.retry.Guard;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.core.IntervalFunction;
import java.util.concurrent.TimeUnit;

/** One breaker, with what resilience4j does not tell: for how long it stays open. */
final class GuardedBreaker {
  // resilience4j admits strictly after the end of its wait, by a clock that ticks in milliseconds.
  private static final long MARGIN_NANOS = 1_000_000;

  private final CircuitBreaker breaker;
  private final TimeUnit unit;
  private final long waitNanos; // NEVER: not the same each time
  private final long firstWaitNanos;
  private final LastOpening lastOpening;
  private final boolean waits; // for the end of its wait

  GuardedBreaker(CircuitBreaker breaker, boolean waits) {
    this.breaker = breaker;
    this.unit = breaker.getTimestampUnit();
    IntervalFunction interval =
        breaker.getCircuitBreakerConfig().getWaitIntervalFunctionInOpenState();
    long first = interval.apply(1);
    this.firstWaitNanos = TimeUnit.MILLISECONDS.toNanos(first);
    this.waitNanos = first == interval.apply(2) ? firstWaitNanos : Guard.NEVER;
    this.lastOpening = LastOpening.of(breaker);
    this.waits = waits;
  }

  long admitsInNanos() {
    return switch (breaker.getState()) {
      case OPEN -> openForNanos();
      case FORCED_OPEN -> Guard.NEVER;
      default -> 0;
    };
  }

  private long openForNanos() {
    long open = lastOpening.openNanos();
    if (!waits || open < 0 || waitNanos == Guard.NEVER) {
      return Guard.NEVER;
    }
    long margin = Math.max(MARGIN_NANOS, unit.toNanos(1));
    long left = waitNanos - open;
    return left > Guard.NEVER - margin ? Guard.NEVER : Math.max(0, left + margin);
  }

  /**
   * Whether it may be forgotten if it is not in use: it is closed, or its wait is over. A breaker
   * that the user has switched by hand is kept.
   */
  boolean idle() {
    return switch (breaker.getState()) {
      case CLOSED, HALF_OPEN -> true;
      case OPEN -> lastOpening.openNanos() > firstWaitNanos;
      default -> false;
    };
  }

  Guard.Permit acquire() {
    // Comes before the permit: this may be the user's function, and may throw.
    long start = breaker.getCurrentTimestamp();
    breaker.acquirePermission();
    return new Permit(start, breaker.getState() == CircuitBreaker.State.HALF_OPEN);
  }

  private final class Permit implements Guard.Permit {
    private final long start;
    private final boolean probe;

    Permit(long start, boolean probe) {
      this.start = start;
      this.probe = probe;
    }

    // Time by the breaker's own clock, which its threshold for slow calls refers to.
    private long elapsed() {
      return breaker.getCurrentTimestamp() - start;
    }

    @Override
    public void succeeded(long elapsedNanos) {
      answer(() -> breaker.onSuccess(elapsed(), unit));
    }

    @Override
    public void failed(Guard.Failure how, Throwable failure) {
      answer(() -> breaker.onError(elapsed(), unit, failure));
    }

    /** If a predicate of the user's throws, nothing is recorded, and the permit is released. */
    private void answer(Runnable record) {
      try {
        record.run();
      } catch (Throwable thrown) {
        released();
        throw thrown;
      }
    }

    @Override
    public void released() {
      // A closed breaker counts no permits; one that became half-open since then would gain one.
      if (probe) {
        breaker.releasePermission();
      }
    }
  }
}
