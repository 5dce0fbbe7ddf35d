package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.TextReader;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How long to wait before a retry.
 *
 * <p>The six built-in strategies allocate nothing, never exceed their cap, and keep their jitter at
 * the cap: the cap bounds the range that is drawn from, never the number drawn. They are immutable,
 * safe for use by many threads, compare by value, and print the text form that {@link #valueOf}
 * reads, for instance {@code full(100ms..20s)}.
 *
 * <p>Jitter spreads clients that failed together; it does <em>not</em> bound the load that retries
 * put on a server in an outage. That is the work of a {@link RetryBudget}.
 *
 * <p>A strategy of your own is a lambda; it must be safe for use by many threads.
 *
 * @see <a href="https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/">
 *     Exponential Backoff and Jitter, AWS Architecture Blog, 2015</a>
 */
@FunctionalInterface
public interface Backoff {

  /**
   * The wait before one retry, in nanoseconds.
   *
   * @param retry the number of the retry, from 1; the retry after the first attempt is 1
   * @param previousNanos the result for the retry before, in nanoseconds; 0 for the first
   * @param random the source of random numbers, of 64 random bits each
   * @return nanoseconds; a negative result counts as 0
   */
  long delayNanos(int retry, long previousNanos, LongSupplier random);

  /**
   * {@return a strategy that never waits} Dangerous in production: a failing server is asked again
   * at once; keep it for tests and for failures that are known to be over in no time.
   */
  static Backoff none() {
    return Backoffs.NONE;
  }

  /**
   * The same wait before every retry, without jitter.
   *
   * @param delay zero or more
   * @return a fixed strategy
   * @throws IllegalArgumentException if the delay is negative
   */
  static Backoff fixed(Duration delay) {
    return Backoffs.fixed(Durations.nanos(Checks.notNegative("delay", delay)));
  }

  /**
   * {@code min(cap, base * retry)}, without jitter.
   *
   * @param base the first delay and the step, more than zero
   * @param cap the longest delay, at least {@code base}
   * @return a linear strategy
   * @throws IllegalArgumentException if a duration is out of its range
   */
  static Backoff linear(Duration base, Duration cap) {
    return Backoffs.Kind.LINEAR.of(Backoffs.range(base, 1, cap));
  }

  /**
   * {@code min(cap, base * 2^(retry-1))}, without jitter: clients that failed together come back
   * together.
   *
   * @param base the first delay, more than zero
   * @param cap the longest delay, at least {@code base}
   * @return an exponential strategy
   * @throws IllegalArgumentException if a duration is out of its range
   */
  static Backoff exponential(Duration base, Duration cap) {
    return exponential(base, 2, cap);
  }

  /**
   * {@code min(cap, base * multiplier^(retry-1))}, without jitter.
   *
   * @param base the first delay, more than zero
   * @param multiplier the growth per retry, 1 to 1000
   * @param cap the longest delay, at least {@code base}
   * @return an exponential strategy
   * @throws IllegalArgumentException if an argument is out of its range
   */
  static Backoff exponential(Duration base, double multiplier, Duration cap) {
    return Backoffs.Kind.EXPONENTIAL.of(Backoffs.range(base, multiplier, cap));
  }

  /**
   * Uniform in {@code [0, min(cap, base * 2^(retry-1))]}: the least work for the server under
   * contention, and the default.
   *
   * @param base the first ceiling, more than zero
   * @param cap the highest ceiling, at least {@code base}
   * @return a full-jitter strategy
   * @throws IllegalArgumentException if a duration is out of its range
   */
  static Backoff fullJitter(Duration base, Duration cap) {
    return fullJitter(base, 2, cap);
  }

  /**
   * Uniform in {@code [0, min(cap, base * multiplier^(retry-1))]}.
   *
   * @param base the first ceiling, more than zero
   * @param multiplier the growth per retry, 1 to 1000
   * @param cap the highest ceiling, at least {@code base}
   * @return a full-jitter strategy
   * @throws IllegalArgumentException if an argument is out of its range
   */
  static Backoff fullJitter(Duration base, double multiplier, Duration cap) {
    return Backoffs.Kind.FULL.of(Backoffs.range(base, multiplier, cap));
  }

  /**
   * Half the ceiling plus a uniform part of the other half: never shorter than half, at the price
   * of finishing later than full jitter.
   *
   * @param base the first ceiling, more than zero
   * @param cap the highest ceiling, at least {@code base}
   * @return an equal-jitter strategy
   * @throws IllegalArgumentException if a duration is out of its range
   */
  static Backoff equalJitter(Duration base, Duration cap) {
    return equalJitter(base, 2, cap);
  }

  /**
   * Half the ceiling {@code min(cap, base * multiplier^(retry-1))} plus a uniform part of the other
   * half.
   *
   * @param base the first ceiling, more than zero
   * @param multiplier the growth per retry, 1 to 1000
   * @param cap the highest ceiling, at least {@code base}
   * @return an equal-jitter strategy
   * @throws IllegalArgumentException if an argument is out of its range
   */
  static Backoff equalJitter(Duration base, double multiplier, Duration cap) {
    return Backoffs.Kind.EQUAL.of(Backoffs.range(base, multiplier, cap));
  }

  /**
   * Uniform in {@code [base, min(cap, 3 * previous)]}, where the delay before the first retry is
   * drawn from {@code [base, 3 * base]}.
   *
   * <p>The 2015 article draws from {@code [base, 3 * previous]} and clamps the result, which makes
   * two clients in three wait exactly the cap once they got there. Bounding the range keeps the
   * spread.
   *
   * @param base the shortest delay, more than zero
   * @param cap the longest delay, at least {@code base}
   * @return a decorrelated-jitter strategy
   * @throws IllegalArgumentException if a duration is out of its range
   */
  static Backoff decorrelatedJitter(Duration base, Duration cap) {
    return decorrelatedJitter(base, 3, cap);
  }

  /**
   * Uniform in {@code [base, min(cap, multiplier * previous)]}.
   *
   * @param base the shortest delay, more than zero
   * @param multiplier the widest growth per retry, 1 to 1000
   * @param cap the longest delay, at least {@code base}
   * @return a decorrelated-jitter strategy
   * @throws IllegalArgumentException if an argument is out of its range
   */
  static Backoff decorrelatedJitter(Duration base, double multiplier, Duration cap) {
    return Backoffs.Kind.DECORRELATED.of(Backoffs.range(base, multiplier, cap));
  }

  /**
   * Reads a text form: {@code none}, {@code fixed(1s)}, {@code linear(100ms..5s)}, {@code
   * exponential(100ms..20s)}, {@code full(100ms..20s)}, {@code equal(100ms..20s)}, {@code
   * decorrelated(100ms..20s)}; a multiplier other than the default goes last, as in {@code
   * full(100ms..20s, x1.5)}. Units are ns, us, ms, s, m, h and d.
   *
   * @param text the text form
   * @return the strategy, equal to the one that printed the text
   * @throws IllegalArgumentException if the text has another form; the message points at the
   *     character
   */
  static Backoff valueOf(String text) {
    TextReader in = new TextReader(text);
    Backoff backoff = Backoffs.read(in);
    in.expectEnd();
    return backoff;
  }
}
