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
 * Thrown when a breaker, a bulkhead or another guard refuses an attempt. The cause is the guard's
 * own exception. The last response is closed if that was after a wait; this exception has its
 * status and headers.
 */
public final class AttemptRefusedException extends IOException {
  private static final long serialVersionUID = 1;

  // Parts of the last answer; not in the serialized form.
  private final transient int status;
  private final transient @Nullable Map<String, List<String>> headers;
  private final transient @Nullable ServerDelay serverDelay;

  /**
   * The exception of a refusal before any attempt was answered; for adapters and tests.
   *
   * @param cause the guard's own exception, null for none
   */
  public AttemptRefusedException(@Nullable Throwable cause) {
    this(0, Map.of(), ServerDelay.none(), cause);
  }

  /**
   * The exception of a refusal after an answer that was closed before a wait; for adapters and
   * tests.
   *
   * @param status the status of the last answer; 0 if it was no HTTP response
   * @param headers its headers, immutable
   * @param serverDelay the delay that it asked for
   * @param cause the guard's own exception, null for none
   */
  public AttemptRefusedException(
      int status,
      Map<String, List<String>> headers,
      ServerDelay serverDelay,
      @Nullable Throwable cause) {
    super("attempt refused" + (cause == null ? "" : ": " + cause.getMessage()), cause);
    this.status = status;
    this.headers = headers;
    this.serverDelay = serverDelay;
  }

  /**
   * {@return the status of the last response before the refusal; empty if no attempt was answered}
   */
  public OptionalInt status() {
    return status == 0 ? OptionalInt.empty() : OptionalInt.of(status);
  }

  /**
   * {@return the headers of the last response before the refusal: an immutable map, empty if no
   * attempt was answered}
   */
  public Map<String, List<String>> headers() {
    return headers == null ? Map.of() : headers;
  }

  /**
   * {@return what is left of the delay for which the operation was held back, else the delay that
   * the last response asked for; empty for none}
   */
  public Optional<Duration> serverDelay() {
    if (getCause() instanceof ServerDelayPendingException held) {
      return Optional.of(held.remaining());
    }
    return serverDelay == null ? Optional.empty() : serverDelay.delay();
  }
}
