package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/**
 * Exceptions of OkHttp's that are not part of its API, known by name: on the module path its
 * internal packages are closed, and a reference to one of their classes would be an error. The
 * rules in META-INF/proguard keep each of these names.
 */
final class OkHttpErrors {
  private OkHttpErrors() {}

  /** The HTTP/2 connection was closing when a stream was to be opened: nothing was sent. */
  static boolean connectionShutdown(IOException failure) {
    return failure
        .getClass()
        .getName()
        .equals("okhttp3.internal.http2.ConnectionShutdownException");
  }

  /** The HTTP/2 stream was reset, by either side. */
  static boolean streamReset(IOException failure) {
    return failure.getClass().getName().equals("okhttp3.internal.http2.StreamResetException");
  }

  /** The server refused the request unprocessed (RFC 9113 section 8.7). */
  static boolean refusedStream(IOException failure) {
    return streamReset(failure)
        && String.valueOf(failure.getMessage()).endsWith(": REFUSED_STREAM");
  }

  /** The HTTP/2 stream ended with its connection, which the server closed. */
  static boolean streamCancelled(IOException failure) {
    return streamReset(failure) && String.valueOf(failure.getMessage()).endsWith(": CANCEL");
  }

  /** The dispatcher's executor did not take the call. */
  static boolean executorRejected(Throwable failure) {
    return failure instanceof InterruptedIOException
        && "executor rejected".equals(failure.getMessage());
  }

  /** No connection was made. */
  static boolean notConnected(Throwable failure) {
    return failure instanceof ConnectException
        || failure instanceof NoRouteToHostException
        || failure instanceof UnknownHostException
        || failure instanceof SSLException
        || (failure instanceof SocketTimeoutException timeout && whileConnecting(timeout));
  }

  // The JDK's text, and Android's.
  private static boolean whileConnecting(SocketTimeoutException timeout) {
    String message = String.valueOf(timeout.getMessage()).toLowerCase(Locale.ROOT);
    return message.startsWith("connect timed out") || message.startsWith("failed to connect");
  }

  /**
   * No connection was made to that host and port, as OkHttp's own message says. A redirect may lead
   * to another server, which does not count.
   */
  static boolean notConnectedTo(String host, int port, Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof UnknownHostException) {
      return message.contains(host);
    }
    return failure instanceof ConnectException
        && message.startsWith("Failed to connect to ")
        && message.contains(host)
        && message.endsWith(":" + port);
  }

  /** A proxy refused to connect to the server, so nothing was sent to that. */
  static boolean tunnelRefused(Throwable failure) {
    return failure.getClass() == IOException.class
        && String.valueOf(failure.getMessage())
            .startsWith("Unexpected response code for CONNECT: ");
  }

  /**
   * Whether a failure came while OkHttp read the header lines of an HTTP/1 answer: then its status
   * line had come. The exception itself does not say how much was read.
   */
  static boolean withinHead(IOException failure) {
    return readsHeaders(failure)
        || (failure.getCause() != null && readsHeaders(failure.getCause()));
  }

  private static boolean readsHeaders(Throwable failure) {
    for (StackTraceElement frame : failure.getStackTrace()) {
      if (frame.getClassName().equals("okhttp3.internal.http1.HeadersReader")
          && frame.getMethodName().equals("readHeaders")) {
        return true;
      }
    }
    return false;
  }
}
