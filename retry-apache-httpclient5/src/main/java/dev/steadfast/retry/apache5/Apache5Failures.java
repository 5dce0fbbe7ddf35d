package dev.steadfast.retry.apache5;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Evidence;
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
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.ParseException;
import org.jspecify.annotations.Nullable;

/** The meaning of the exceptions of HttpClient, by where they were thrown and by their type. */
final class Apache5Failures {
  private Apache5Failures() {}

  /**
   * The meaning of a failure.
   *
   * @return null if a handler made it of an answer: that answer is judged
   */
  static @Nullable TransportFailure classify(Throwable failure, WireTrace wire) {
    TransportFailure outside = endedOutside(wire);
    if (outside != null) {
      return outside;
    }
    if (wire.phase() == WireTrace.Phase.BODY) {
      return TransportFailure.of(FailureKind.BROKEN_BODY);
    }
    if (wire.ofWire(failure)) {
      return switch (wire.phase()) {
        case LEASE -> ofPool(failure);
        case CONNECT -> connecting(failure);
        default -> exchanging(failure, wire);
      };
    }
    return wire.head() != null ? null : ofHandler(failure);
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
    if (failure instanceof ParseException) { // half a head, or something that is not HTTP
      return TransportFailure.of(FailureKind.CONNECTION_LOST);
    }
    if (failure instanceof HttpException || !(failure instanceof IOException)) {
      return permanent(FailureKind.CONNECTION_LOST); // it is no HTTP; the next is not either
    }
    boolean silent =
        failure instanceof NoHttpResponseException || failure instanceof SocketException;
    boolean stale =
        silent
            && wire.reused()
            && wire.log.deliveries() == 1
            && wire.log.safety() != Evidence.Safety.UNSAFE;
    return TransportFailure.of(stale ? FailureKind.STALE_CONNECTION : FailureKind.CONNECTION_LOST);
  }

  private static TransportFailure permanent(FailureKind kind) {
    return TransportFailure.permanent(kind, StopReason.NOT_RETRYABLE);
  }
}
