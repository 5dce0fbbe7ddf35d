package dev.steadfast.retry;

/**
 * The kind of failure of an attempt: what budgets price by, and what reports and listeners show.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum FailureKind {
  /** The name of the host could not be resolved. */
  DNS,
  /** No connection was made. A request before a redirect may have been sent. */
  CONNECT,
  /** The TLS handshake did not succeed. */
  TLS,
  /** The attempt took longer than it may. */
  TIMEOUT,
  /** The connection broke before the response head. */
  CONNECTION_LOST,
  /**
   * A pooled connection turned out to be closed before any byte of a response; resent at once, one
   * time per operation. That costs no budget, unless only a key makes it safe.
   */
  STALE_CONNECTION,
  /**
   * The server refused the request unprocessed (RFC 9113 section 8.7): it has too many open
   * streams, or replaces the connection. The first resend costs no budget.
   */
  REFUSED_STREAM,
  /**
   * The server announced the end of an HTTP/2 connection (RFC 9113 section 6.8), and the client
   * failed the requests on it. The first resend of an idempotent method costs no budget. JDKs
   * without the fix of JDK-8335181 do this.
   */
  GOAWAY,
  /** The response head came, but its body did not arrive whole. */
  BROKEN_BODY,
  /**
   * The server takes fewer requests for now: 429, 529, or a 503 or first event of a stream that is
   * configured as a refusal.
   */
  THROTTLED,
  /**
   * 409: an operation with the same key is under way, the resource exists already, or versions
   * conflict.
   */
  CONFLICT,
  /** The server did not want to risk early data: 425 (RFC 8470 section 5.2). */
  TOO_EARLY,
  /** The server is not available: 503. */
  UNAVAILABLE,
  /** Any other answer that tells of a failure. */
  ERROR_STATUS,
  /** Any other failure: an exception of the user's work, or one that nothing is known about. */
  OTHER
}
