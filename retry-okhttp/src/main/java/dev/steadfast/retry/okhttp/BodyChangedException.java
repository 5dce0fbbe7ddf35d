package dev.steadfast.retry.okhttp;

import java.io.IOException;

/**
 * A request body yielded other bytes than the first time. The request was not completed. The caller
 * gets what the attempt before ended with; this one only if there was none, after a redirect or a
 * challenge.
 */
final class BodyChangedException extends IOException {
  private static final long serialVersionUID = 1;

  BodyChangedException(String how) {
    super("request body: " + how + " (expected: the same bytes each time it is sent)");
  }
}
