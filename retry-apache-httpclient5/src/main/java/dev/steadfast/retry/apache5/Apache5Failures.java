package dev.steadfast.retry.apache5;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.RequestNotExecutedException;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.H2StreamResetException;
import org.jspecify.annotations.Nullable;

/** The meaning of the exceptions of HttpClient, by where they were thrown and by their type. */
final class Apache5Failures {
  private Apache5Failures() {}

  /**
   * The meaning of a failure.
   *
   * @return null if a handler turned an answer into it: that answer is judged
   */
  static @Nullable TransportFailure classify(Throwable failure, WireTrace wire) {
    TransportFailure outside = endedOutside(wire);
    if (outside != null) {
      return outside;
    }
    if (wire.place() == WireTrace.Place.BODY) {
      return TransportFailure.of(FailureKind.BROKEN_BODY);
    }
    if (wire.ofWire(failure)) {
      return switch (wire.place()) {
        case LEASE -> isOfConnect(failure) ? connecting(failure) : ofPool(failure);
        case CONNECT -> connecting(failure);
        default -> exchanging(failure, wire);
      };
    }
    return wire.head() != null ? null : ofHandler(failure);
  }

  /**
   * The same as {@link #classify}, for an asynchronous client. Such a client reads any first line
   * as that of a head, and half a header, left by a lost connection, as a whole one.
   */
  static @Nullable TransportFailure classifyAsync(Throwable failure, WireTrace wire) {
    TransportFailure classified = classify(failure, wire);
    boolean noHttp =
        failure instanceof ParseException
            && !String.valueOf(failure.getMessage()).startsWith("Invalid header")
            && classified != null
            && classified.kind() == FailureKind.CONNECTION_LOST;
    return noHttp ? permanent(FailureKind.CONNECTION_LOST) : classified;
  }

  private static @Nullable TransportFailure endedOutside(WireTrace wire) {
    if (wire.attempt().stopped()) {
      return TransportFailure.of(FailureKind.TIMEOUT);
    }
    if (wire.cancelledByCaller()) {
      return TransportFailure.permanent(FailureKind.OTHER, StopReason.CANCELLED);
    }
    return wire.interrupted()
        ? TransportFailure.permanent(FailureKind.OTHER, StopReason.INTERRUPTED)
        : null;
  }

  /** The meaning of an exception that the wire has not thrown. */
  static TransportFailure ofHandler(Throwable failure) {
    boolean bug = !(failure instanceof IOException) || failure instanceof ClientProtocolException;
    return bug ? permanent(FailureKind.OTHER) : TransportFailure.of(FailureKind.OTHER);
  }

  // The pool for HTTP/2 connects before it hands out a connection.
  private static boolean isOfConnect(Throwable failure) {
    return failure instanceof SocketException
        || failure instanceof SocketTimeoutException
        || failure instanceof UnknownHostException
        || failure instanceof SSLException;
  }

  // The wait for a connection was the retry: another attempt would queue behind the same calls.
  private static TransportFailure ofPool(Throwable failure) {
    return permanent(
        failure instanceof InterruptedIOException ? FailureKind.TIMEOUT : FailureKind.OTHER);
  }

  private static TransportFailure connecting(Throwable failure) {
    if (failure instanceof UnknownHostException) {
      return TransportFailure.of(FailureKind.DNS);
    }
    if (failure instanceof SSLException tls) {
      return hopeless(tls) ? permanent(FailureKind.TLS) : TransportFailure.of(FailureKind.TLS);
    }
    boolean ofSocket =
        failure instanceof SocketException
            || failure instanceof SocketTimeoutException
            || failure instanceof NoHttpResponseException; // a proxy, to CONNECT
    if (ofSocket) {
      return TransportFailure.of(FailureKind.CONNECT);
    }
    return failure instanceof IOException
        ? TransportFailure.of(FailureKind.OTHER)
        : permanent(FailureKind.OTHER);
  }

  private static boolean hopeless(SSLException failure) {
    return failure instanceof SSLPeerUnverifiedException
        || failure.getCause() instanceof CertificateException
        || String.valueOf(failure.getMessage()).contains("nrecognized SSL message");
  }

  private static TransportFailure exchanging(Throwable failure, WireTrace wire) {
    if (failure instanceof SocketTimeoutException) {
      return TransportFailure.of(FailureKind.TIMEOUT);
    }
    if (failure instanceof RequestNotExecutedException && wire.log.deliveries() > 0) {
      return TransportFailure.of(FailureKind.GOAWAY);
    }
    if (isRefusedStream(failure)) {
      return TransportFailure.of(FailureKind.REFUSED_STREAM);
    }
    if (failure instanceof ParseException) { // half a head, or something that is not HTTP
      return TransportFailure.of(FailureKind.CONNECTION_LOST);
    }
    if (failure instanceof HttpException || !(failure instanceof IOException)) {
      return permanent(FailureKind.CONNECTION_LOST); // not HTTP; nor is the next
    }
    boolean silent =
        failure instanceof NoHttpResponseException
            || failure instanceof SocketException
            || failure instanceof ConnectionClosedException;
    boolean stale = silent && wire.reused() && wire.log.deliveries() == 1;
    return TransportFailure.of(stale ? FailureKind.STALE_CONNECTION : FailureKind.CONNECTION_LOST);
  }

  /** Whether an exchange broke because the server did not process its request. */
  static boolean isRefused(Throwable failure) {
    return failure instanceof RequestNotExecutedException || isRefusedStream(failure);
  }

  /**
   * Whether the server has reset the stream of a request that it did not process (RFC 9113, 8.7).
   * HttpClient gives the same exception, with another text of its own, to all streams of a
   * connection that ends with this code, and that proves nothing.
   */
  private static boolean isRefusedStream(Throwable failure) {
    return isReset(failure)
        && ((H2StreamResetException) failure).getCode() == H2Error.REFUSED_STREAM.getCode();
  }

  /** Whether the server has reset a stream, and not the connection. */
  static boolean isReset(Throwable failure) {
    return failure instanceof H2StreamResetException
        && String.valueOf(failure.getMessage()).startsWith("Stream reset");
  }

  private static TransportFailure permanent(FailureKind kind) {
    return TransportFailure.permanent(kind, StopReason.NOT_RETRYABLE);
  }
}
