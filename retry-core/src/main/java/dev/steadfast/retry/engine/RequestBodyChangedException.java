package dev.steadfast.retry.engine;

import java.io.IOException;

/**
 * A request body yielded other bytes when it was sent again than it did the first time: a stream
 * that had been read already, for example. The server did not get a whole request. No further
 * attempt is made, and the caller gets what the attempt before ended with. He gets this exception
 * only if there was none, as after a redirect, or if its answer could not be kept.
 */
public final class RequestBodyChangedException extends IOException {
  private static final long serialVersionUID = 1;

  /**
   * The constructor for authors of adapters and tests.
   *
   * @param how what was found
   */
  public RequestBodyChangedException(String how) {
    super("request body: " + how + " (expected: the same bytes each time it is sent)");
  }
}
