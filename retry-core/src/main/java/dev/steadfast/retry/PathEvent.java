package dev.steadfast.retry;

/**
 * News about a connection that carries several requests at once, as in HTTP/2.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum PathEvent {
  /** An attempt timed out on the connection, and nothing has come since the attempt began. */
  SUSPECTED,
  /**
   * Nothing came for several attempts, and another connection to the same origin answered. All
   * attempts take the other one for 30 s.
   */
  CONFIRMED,
  /** The usual connection answers again, and attempts take it again. */
  RETURNED
}
