package dev.steadfast.retry.internal;

import java.time.Duration;

/**
 * A guard refused an attempt, because the server had asked other operations to wait: the cause of
 * an {@code AttemptRefusedException}.
 */
public final class ServerDelayPendingException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** How long from the refusal on. */
  private final Duration remaining;

  /**
   * Records no stack: it is part of normal operation.
   *
   * @param remaining how long the server is not to be asked
   */
  public ServerDelayPendingException(Duration remaining) {
    super(
        "the server asked to wait, " + Durations.printRounded(remaining) + " are left",
        null,
        false,
        false);
    this.remaining = remaining;
  }

  /**
   * How long the server is not to be asked, from the refusal on.
   *
   * @return more than zero
   */
  public Duration remaining() {
    return remaining;
  }
}
