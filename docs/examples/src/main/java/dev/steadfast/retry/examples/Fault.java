package dev.steadfast.retry.examples;

/** What goes wrong with a payment before it goes right. */
enum Fault {
  /** Nothing. */
  NONE("nothing"),
  /** The best known fault: the client cannot tell a lost answer from a lost request. */
  ANSWER_LOST("charged, then the connection closes without a byte"),
  /** The retry meets the first attempt, which is still at work. */
  STILL_AT_WORK("connection lost while the server works; meanwhile 409 + Retry-After: 1"),
  /** Overload without advice. */
  UNAVAILABLE("503, two times"),
  /** Overload with advice: a client that comes too early is refused again. */
  UNAVAILABLE_WITH_SERVER_DELAY("503 + Retry-After: 1, until that second is over"),
  /** A rate limiter, also minded to be obeyed. */
  THROTTLED("429 + Retry-After: 1, until that second is over"),
  /** The client gives up on an attempt that did succeed. */
  SLOW("charged, but answered later than an attempt may take"),
  /** A restart: nothing listens until the client has been refused once. */
  CONNECTION_REFUSED("connection refused"),
  /** The pool keeps a connection that the server has closed. */
  STALE_CONNECTION("answered, then closed: stale for whom the pool gives it to next"),
  /** The server proves that it did nothing (RFC 9113 section 8.7). */
  STREAM_REFUSED("HTTP/2 over TLS: stream refused, two times");

  private final String text;

  Fault(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
