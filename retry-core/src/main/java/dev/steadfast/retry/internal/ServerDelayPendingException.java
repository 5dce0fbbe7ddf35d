package dev.steadfast.retry.internal;

import java.time.Duration;

/**
 * Thrown when a guard refuses an attempt, because the server has asked other operations to wait, or
 * because a quota is used up. It is the cause of an {@code AttemptRefusedException}.
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
    this("the server asked to wait, " + Durations.printRounded(remaining) + " are left", remaining);
  }

  private ServerDelayPendingException(String message, Duration remaining) {
    super(message, null, false, false);
    this.remaining = remaining;
  }

  /**
   * The exception for an attempt that would exceed a quota.
   *
   * @param remaining the time until the attempt is within the quota
   * @return an exception without a stack
   */
  public static ServerDelayPendingException ofQuota(Duration remaining) {
    String left = Durations.printRounded(remaining);
    return new ServerDelayPendingException("the quota allows it in " + left, remaining);
  }

  /** {@return how long the server is not to be asked, from the refusal on: more than zero} */
  public Duration remaining() {
    return remaining;
  }
}
