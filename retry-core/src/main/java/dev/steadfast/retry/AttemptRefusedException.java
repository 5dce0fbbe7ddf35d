package dev.steadfast.retry;

import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A breaker, a bulkhead or a gate refused an attempt when its turn came. The cause is the guard's
 * own exception. After a wait the last response has been closed already; what it said is here.
 */
public final class AttemptRefusedException extends IOException {
  private static final long serialVersionUID = 1;

  /** The last answer; not part of the serialized form. */
  private final transient @Nullable LastAnswer last;

  /**
   * The constructor for authors of adapters and tests.
   *
   * @param last the last answer before the refusal, null if no attempt was answered
   * @param cause the guard's own exception, null for none
   */
  public AttemptRefusedException(@Nullable LastAnswer last, @Nullable Throwable cause) {
    super("attempt refused" + (cause == null ? "" : ": " + cause.getMessage()), cause);
    this.last = last;
  }

  /**
   * {@return the status of the last response before the refusal; empty if no attempt was answered}
   */
  public OptionalInt status() {
    return last == null ? OptionalInt.empty() : last.status();
  }

  /**
   * {@return the headers of the last response before the refusal: an immutable map, empty if no
   * attempt was answered}
   */
  public Map<String, List<String>> headers() {
    return last == null ? Map.of() : last.headers();
  }

  /**
   * {@return what is left of the delay for which the operation was held back, else the delay that
   * the last response asked for; empty for none}
   */
  public Optional<Duration> serverDelay() {
    if (getCause() instanceof ServerDelayPendingException held) {
      return Optional.of(held.remaining());
    }
    return last == null ? Optional.empty() : last.serverDelay().delay();
  }

  /**
   * The part that is kept of a response that was closed before a wait. Immutable.
   *
   * @param status its status; empty if it was no HTTP response
   * @param headers its headers
   * @param serverDelay the delay that it asked for
   */
  public record LastAnswer(
      OptionalInt status, Map<String, List<String>> headers, ServerDelay serverDelay) {}
}
