package dev.steadfast.retry.http;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.internal.Checks;
import org.jspecify.annotations.Nullable;

/**
 * An attempt without a usable answer. Immutable.
 *
 * @param kind what went wrong
 * @param stop why no other attempt can help, whatever is configured; null if one may
 */
public record TransportFailure(FailureKind kind, @Nullable StopReason stop) {
  /**
   * Checks that nothing is missing.
   *
   * @throws NullPointerException if the kind is null
   */
  public TransportFailure {
    Checks.notNull("kind", kind);
  }

  /**
   * A failure that another attempt may mend.
   *
   * @param kind what went wrong
   * @return a failure
   */
  public static TransportFailure of(FailureKind kind) {
    return new TransportFailure(kind, null);
  }

  /**
   * A failure that no other attempt can mend: a certificate that is not trusted, a cancellation.
   *
   * @param kind what went wrong
   * @param stop why
   * @return a failure
   */
  public static TransportFailure permanent(FailureKind kind, StopReason stop) {
    return new TransportFailure(kind, stop);
  }

  /**
   * This failure as it counts for a request of this safety. The connection of a request that
   * nothing protects counts as lost, and not as stale: it may have been alive.
   */
  TransportFailure forSafety(Evidence.Safety safety) {
    return kind == FailureKind.STALE_CONNECTION && safety == Evidence.Safety.UNSAFE
        ? new TransportFailure(FailureKind.CONNECTION_LOST, stop)
        : this;
  }
}
