package dev.steadfast.retry;

/**
 * The limits in time that can end an attempt.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum TimeLimit {
  /** The policy's limit for one attempt. */
  ATTEMPT_TIMEOUT("attempt timeout", "attemptTimeout"),
  /** The policy's limit for the whole operation. */
  TOTAL_TIMEOUT("total timeout", "totalTimeout"),
  /** The policy's limit for the silence of a body. */
  BODY_IDLE_TIMEOUT("body idle timeout", "bodyIdleTimeout"),
  /** The deadline that the caller set for this operation. */
  DEADLINE("deadline of the call", "RetryOptions.deadline"),
  /** The deadline of the scope that the operation began in. */
  SCOPE_DEADLINE("deadline of the scope", "RetryScope"),
  /**
   * A timeout of the client or of its request: {@code HttpRequest.timeout}, and OkHttp's call,
   * connect, read and write timeouts.
   */
  CLIENT_TIMEOUT("timeout of the client", "set at the client or its request");

  private final String text;
  private final String setting;

  TimeLimit(String text, String setting) {
    this.text = text;
    this.setting = setting;
  }

  /** {@return the name of the setting that changes the limit} */
  public String setting() {
    return setting;
  }

  @Override
  public String toString() {
    return text;
  }
}
