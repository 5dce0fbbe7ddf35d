package dev.steadfast.retry;

/**
 * The fate of a request: whether the server may have acted on it.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum Disposition {
  /** No byte of the request left the client; proven. */
  UNSENT,
  /**
   * The server says that it did nothing: 401, 407, 421, 425, an HTTP/2 stream that it refused, a
   * 307 or 308 whose target could not be reached, or an answer that a rule takes for a refusal, as
   * the built-in rules do for 429.
   */
  REFUSED,
  /** The server answered, so it has seen the request. */
  ANSWERED,
  /** It is unknown whether the request was processed. */
  UNKNOWN;

  /**
   * {@return whether the server may have acted on the request: false only where the opposite is
   * proven}
   */
  public boolean mayHaveActed() {
    return this == ANSWERED || this == UNKNOWN;
  }
}
