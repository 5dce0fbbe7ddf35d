package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * The delay that a server asked for. Immutable.
 *
 * <p>A server delay is a floor and never a target: the library waits at least that long, and
 * spreads its clients upward only.
 */
public final class ServerDelay {
  private static final ServerDelay NONE = new ServerDelay(-1, false);

  private final long nanos;
  private final boolean exact;

  private ServerDelay(long nanos, boolean exact) {
    this.nanos = nanos;
    this.exact = exact;
  }

  /** {@return the shared instance that stands for no server delay} */
  public static ServerDelay none() {
    return NONE;
  }

  /**
   * Wait at least this long, as {@code Retry-After} says (RFC 9110 section 10.2.3).
   *
   * @param delay zero or more; beyond 292 years it counts as 292 years
   * @return a server delay
   * @throws IllegalArgumentException if the delay is negative
   */
  public static ServerDelay atLeast(Duration delay) {
    return new ServerDelay(Durations.nanos(Checks.notNegative("delay", delay)), false);
  }

  /**
   * Wait exactly this long, and start the backoff from the beginning afterwards, as gRFC A6
   * requires for a pushback.
   *
   * @param delay zero or more
   * @return a server delay
   * @throws IllegalArgumentException if the delay is negative
   */
  public static ServerDelay exactly(Duration delay) {
    return new ServerDelay(Durations.nanos(Checks.notNegative("delay", delay)), true);
  }

  /** {@return whether the server asked for a delay} */
  public boolean present() {
    return nanos >= 0;
  }

  /** {@return the delay that was asked for, empty for {@link #none()}} */
  public Optional<Duration> delay() {
    return present() ? Optional.of(Duration.ofNanos(nanos)) : Optional.empty();
  }

  /** {@return whether the delay is to be kept exactly, as with {@link #exactly}} */
  public boolean exact() {
    return exact;
  }

  /** {@return the delay in nanoseconds: zero or more, -1 for {@link #none()}} */
  public long nanos() {
    return nanos;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ServerDelay that && nanos == that.nanos && exact == that.exact;
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
