package dev.steadfast.retry.okhttp;

import java.io.IOException;

/**
 * Exceptions of OkHttp's that are not part of its API, known by name: on the module path its
 * internal packages are closed, and a reference to one of their classes would be an error.
 */
final class OkHttpErrors {
  private static final String PACKAGE = "okhttp3.internal.http2.";

  private OkHttpErrors() {}

  /** The HTTP/2 connection was closing when a stream was to be opened: nothing was sent. */
  static boolean connectionShutdown(IOException failure) {
    return failure.getClass().getName().equals(PACKAGE + "ConnectionShutdownException");
  }

  /** The HTTP/2 stream was reset, by either side. */
  static boolean streamReset(IOException failure) {
    return failure.getClass().getName().equals(PACKAGE + "StreamResetException");
  }

  /** The server refused the request unprocessed (RFC 9113 section 8.7). */
  static boolean refusedStream(IOException failure) {
    return streamReset(failure)
        && String.valueOf(failure.getMessage()).endsWith(": REFUSED_STREAM");
  }
}
