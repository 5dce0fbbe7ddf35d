package dev.steadfast.retry.httpclient;

import java.io.IOException;

/**
 * A request body yielded other bytes when it was asked again than it did the first time, such as
 * {@code ofInputStream(() -> oneAndTheSameStream)}. Its last byte was held back, so the server did
 * not get a whole request. No further attempt is made. The caller gets this exception only if there
 * is no answer to the attempt before that could be kept: it has more than 64 KiB, for example.
 */
public final class RequestBodyChangedException extends IOException {
  private static final long serialVersionUID = 1;

  RequestBodyChangedException(long expectedBytes, long bytes) {
    super(
        "request body: "
            + bytes
            + " bytes that differ from the "
            + expectedBytes
            + " bytes of the first time (expected: the same bytes each time it is sent)");
  }
}
