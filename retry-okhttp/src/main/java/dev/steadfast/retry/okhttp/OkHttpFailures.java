package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.SendState;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.TransportFailure;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.UnknownServiceException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * What an exception of OkHttp says about the request, given what the wire saw. First who ended the
 * attempt, if it did not end by itself; then how far the request got; the exception comes last.
 */
final class OkHttpFailures {
  private OkHttpFailures() {}

  static TransportFailure classify(Throwable thrown, WireState wire) {
    SendState state = sendState(wire);
    if (wire.broken() || !(thrown instanceof IOException failure)) {
      return permanent(FailureKind.OTHER, state); // a bug in an interceptor, say
    }
    TransportFailure ended = endedOutside(failure, wire, state);
    if (ended != null) {
      return ended;
    }
    if (wire.caused(failure)) {
      return onWire(failure, wire, state);
    }
    return wire.status() > 0 ? afterAnswer(failure, wire) : beforeWire(failure, state);
  }

  /** A redirect that could not be followed leaves the requests before it delivered. */
  private static SendState sendState(WireState wire) {
    return wire.deliveries() > 0 ? SendState.MAYBE_PROCESSED : SendState.NEVER_SENT;
  }

  private static @Nullable TransportFailure endedOutside(
      IOException failure, WireState wire, SendState state) {
    if (wire.interrupted()) {
      return TransportFailure.permanent(FailureKind.OTHER, state, StopReason.INTERRUPTED);
    }
    if (wire.attempt().stopped()) {
      return TransportFailure.of(FailureKind.TIMEOUT, state);
    }
    boolean timedOut =
        failure instanceof InterruptedIOException && !(failure instanceof SocketTimeoutException);
    if (timedOut && "executor rejected".equals(failure.getMessage())) {
      return TransportFailure.permanent(FailureKind.OTHER, state, StopReason.REJECTED);
    }
    if (timedOut && wire.call().isCanceled()) {
      // OkHttp's own timeout of the call.
      return TransportFailure.permanent(FailureKind.TIMEOUT, state, StopReason.DEADLINE);
    }
    if (wire.cancelledByOthers()) {
      return HttpOperation.cancelled(state);
    }
    return timedOut ? TransportFailure.of(FailureKind.TIMEOUT, state) : null;
  }

  private static TransportFailure onWire(IOException failure, WireState wire, SendState state) {
    if (wire.lastUnsent()) {
      return TransportFailure.of(FailureKind.STALE_CONNECTION, state);
    }
    if (OkHttpErrors.streamReset(failure)) {
      // The server refused this request; what a redirect sent before, it took.
      return OkHttpErrors.refusedStream(failure) && wire.deliveries() == 1
          ? TransportFailure.of(FailureKind.REFUSED_STREAM, SendState.REFUSED_UNPROCESSED)
          : TransportFailure.of(FailureKind.CONNECTION_LOST, state);
    }
    if (failure instanceof SocketTimeoutException) {
      return TransportFailure.of(FailureKind.TIMEOUT, state);
    }
    if (failure instanceof SSLPeerUnverifiedException) {
      return permanent(FailureKind.TLS, state);
    }
    boolean stale = wire.reused() && wire.deliveries() == 1 && wire.replayable() && silent(failure);
    return TransportFailure.of(
        stale ? FailureKind.STALE_CONNECTION : FailureKind.CONNECTION_LOST, state);
  }

  /** Whether the connection ended without a byte of an answer. */
  private static boolean silent(IOException failure) {
    if (failure instanceof SocketException) {
      return true;
    }
    // Okio tells in its message how much there was when the line did not end.
    Throwable cause = failure.getCause();
    return cause instanceof EOFException
        && String.valueOf(cause.getMessage()).startsWith("\\n not found: limit=0 ");
  }

  private static TransportFailure afterAnswer(IOException failure, WireState wire) {
    if (!wire.handedBack() && followed(wire.status())) {
      // The answer was a redirect or a challenge, and following it failed.
      return failure instanceof ProtocolException
          ? permanent(FailureKind.OTHER, SendState.MAYBE_PROCESSED)
          : TransportFailure.of(connectKind(failure), SendState.MAYBE_PROCESSED);
    }
    // An interceptor that reads the body may also have an exception of its own.
    boolean body = wire.handedBack() || ofTransport(failure);
    return TransportFailure.of(
        body ? FailureKind.BROKEN_BODY : FailureKind.OTHER, SendState.ANSWERED);
  }

  private static boolean followed(int status) {
    return (status >= 300 && status < 400) || status == 401 || status == 407 || status == 421;
  }

  private static boolean ofTransport(IOException failure) {
    return failure instanceof ProtocolException
        || failure instanceof SocketException
        || failure instanceof SocketTimeoutException
        || failure instanceof EOFException
        || failure instanceof SSLException
        || OkHttpErrors.streamReset(failure);
  }

  private static TransportFailure beforeWire(IOException failure, SendState state) {
    boolean hopeless =
        failure instanceof SSLPeerUnverifiedException
            || failure instanceof UnknownServiceException
            || failure instanceof ProtocolException
            || "Failed to authenticate with proxy".equals(failure.getMessage())
            || (failure instanceof SSLException ssl && hopeless(ssl));
    return hopeless
        ? permanent(connectKind(failure), state)
        : TransportFailure.of(connectKind(failure), state);
  }

  private static boolean hopeless(SSLException failure) {
    String message = String.valueOf(failure.getMessage());
    boolean certificate = failure instanceof SSLHandshakeException && causedByCertificate(failure);
    return certificate || message.contains("nrecognized SSL message");
  }

  private static boolean causedByCertificate(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause instanceof CertificateException
        || (cause != null && cause.getClass().getName().startsWith("sun.security.validator."));
  }

  private static FailureKind connectKind(IOException failure) {
    if (failure instanceof UnknownHostException) {
      return FailureKind.DNS;
    }
    if (failure instanceof SSLException) {
      return FailureKind.TLS;
    }
    boolean connecting =
        failure instanceof SocketException || failure instanceof SocketTimeoutException;
    return connecting ? FailureKind.CONNECT : FailureKind.OTHER;
  }

  private static TransportFailure permanent(FailureKind kind, SendState state) {
    return TransportFailure.permanent(kind, state, StopReason.NOT_RETRYABLE);
  }
}
