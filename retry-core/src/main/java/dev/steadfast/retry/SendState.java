package dev.steadfast.retry;

/** How far a request got: whether sending it again can add an effect. */
public enum SendState {
  /** No byte of the request left the client. */
  NEVER_SENT,
  /** The request left, and the server or the protocol proves that it was not processed. */
  REFUSED_UNPROCESSED,
  /** The request may have been processed; nobody can tell. */
  MAYBE_PROCESSED,
  /** The server answered, so it has seen the request. */
  ANSWERED;

  /**
   * Whether the server may have acted on the request.
   *
   * @return false only where that is proven
   */
  public boolean mayHaveActed() {
    return this == MAYBE_PROCESSED || this == ANSWERED;
  }
}
