package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import java.time.Duration;
import java.util.Optional;

/**
 * The delay that a server asked for. Immutable.
 *
 * <p>A hint is a floor and never a target: the machine waits at least that long, and spreads its
 * clients upward only.
 */
public final class Hint {
  private static final Hint NONE = new Hint(-1, false);

  private final long nanos;
  private final boolean exact;

  private Hint(long nanos, boolean exact) {
    this.nanos = nanos;
    this.exact = exact;
  }

  /**
   * No hint.
   *
   * @return the shared instance
   */
  public static Hint none() {
    return NONE;
  }

  /**
   * Wait at least this long, as {@code Retry-After} says (RFC 9110 section 10.2.3).
   *
   * @param delay zero or more; beyond 292 years it counts as 292 years
   * @return a hint
   * @throws IllegalArgumentException if the delay is negative
   */
  public static Hint atLeast(Duration delay) {
    return new Hint(Durations.nanos(Checks.notNegative("delay", delay)), false);
  }

  /**
   * Wait exactly this long, and start the backoff anew afterwards, as gRFC A6 says of pushback.
   *
   * @param delay zero or more
   * @return a hint
   * @throws IllegalArgumentException if the delay is negative
   */
  public static Hint exactly(Duration delay) {
    return new Hint(Durations.nanos(Checks.notNegative("delay", delay)), true);
  }

  /**
   * Whether the server asked for a delay.
   *
   * @return false for {@link #none()}
   */
  public boolean present() {
    return nanos >= 0;
  }

  /**
   * The delay that was asked for.
   *
   * @return the delay, empty for {@link #none()}
   */
  public Optional<Duration> delay() {
    return present() ? Optional.of(Duration.ofNanos(nanos)) : Optional.empty();
  }

  /**
   * Whether the delay is to be kept exactly.
   *
   * @return true for {@link #exactly}
   */
  public boolean exact() {
    return exact;
  }

  long nanos() {
    return nanos;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Hint that && nanos == that.nanos && exact == that.exact;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(nanos) * 2 + (exact ? 1 : 0);
  }

  @Override
  public String toString() {
    return present() ? (exact ? "exactly " : "at least ") + Durations.print(nanos) : "none";
  }
}
