package dev.steadfast.retry.engine;

import java.io.IOException;

/**
 * Thrown when a request body yields other bytes than the first time: a stream that has been read
 * already, for example. The server did not get a whole request. No further attempt is made, and the
 * caller gets what the attempt before ended with. The caller gets this exception only if there was
 * no such attempt, as after a redirect, or if its answer could not be kept.
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
