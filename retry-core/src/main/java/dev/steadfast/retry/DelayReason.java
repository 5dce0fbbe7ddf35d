package dev.steadfast.retry;

/**
 * Why a wait is as long as it is.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum DelayReason {
  /** The policy's backoff. */
  BACKOFF("backoff"),
  /** The server asked for at least this much, for instance with {@code Retry-After}. */
  SERVER_DELAY("server delay"),
  /** The server asked for exactly this much, with {@code grpc-retry-pushback-ms}. */
  SERVER_PUSHBACK("server pushback"),
  /** A guard that refuses attempts now will admit them again. */
  GUARD("guard"),
  /** No wait: a pooled connection was stale. */
  STALE_CONNECTION("stale connection");

  private final String text;

  DelayReason(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
