package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Evidence;
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
import java.util.Set;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of an exception of OkHttp for the request, given what the wire saw. Three questions,
 * in this order: who ended the attempt, how far the request got, and which exception it was.
 */
final class OkHttpFailures {
  private static final String NO_TUNNEL = "Unexpected response code for CONNECT: ";
  private static final Set<String> PASSING_PROXY_ERRORS = Set.of("407", "408", "429");

  private OkHttpFailures() {}

  /** The call failed before OkHttp began the attempt. */
  static TransportFailure notTaken() {
    return permanent(FailureKind.OTHER);
  }

  /**
   * The failure of an attempt. Whether it may be sent again is decided by the evidence.
   *
   * @return null if the answer decides: an interceptor turned a status of 400 or more into an
   *     exception
   */
  static @Nullable TransportFailure classify(Throwable thrown, WireTrace wire) {
    if (wire.broken() || !(thrown instanceof IOException failure)) {
      return permanent(FailureKind.OTHER); // for example a bug in an interceptor
    }
    TransportFailure ended = endedOutside(failure, wire);
    if (ended != null) {
      return ended;
    }
    FailureSource source = wire.source(thrown);
    if (source == FailureSource.WIRE) {
      return onWire(failure, wire);
    }
    Response head = wire.head();
    if (head == null) {
      return withoutConnection(failure);
    }
    if (wire.othersMade() && !wire.handedBack()) {
      return ofInterceptor(failure); // the head may be that of another call
    }
    boolean connecting = source == FailureSource.OKHTTP && OkHttpErrors.notConnected(failure);
    if (head.code() >= 400 && !wire.handedBack() && !connecting) {
      return null; // an interceptor or an authenticator turned the answer into an exception
    }
    return afterAnswer(failure, wire, head);
  }

  private static @Nullable TransportFailure endedOutside(IOException failure, WireTrace wire) {
    if (wire.interrupted()) {
      return TransportFailure.permanent(FailureKind.OTHER, StopReason.INTERRUPTED);
    }
    if (wire.attempt().stopped()) {
      return TransportFailure.of(FailureKind.TIMEOUT);
    }
    if (wire.timeIsUp()) {
      return TransportFailure.permanent(FailureKind.TIMEOUT, StopReason.DEADLINE);
    }
    if (OkHttpErrors.executorRejected(failure)) {
      return TransportFailure.permanent(FailureKind.OTHER, StopReason.REJECTED);
    }
    boolean timedOut =
        failure instanceof InterruptedIOException && !(failure instanceof SocketTimeoutException);
    if (timedOut && wire.call().isCanceled()) {
      // OkHttp's own timeout of the call.
      return TransportFailure.permanent(FailureKind.TIMEOUT, StopReason.DEADLINE);
    }
    if (wire.cancelledByOthers()) {
      return TransportFailure.permanent(FailureKind.OTHER, StopReason.CANCELLED);
    }
    return timedOut ? TransportFailure.of(FailureKind.TIMEOUT) : null;
  }

  private static TransportFailure onWire(IOException failure, WireTrace wire) {
    if (wire.latestUnsent()) {
      return TransportFailure.of(FailureKind.STALE_CONNECTION);
    }
    if (wire.log.disposition() == Disposition.REFUSED && OkHttpErrors.streamReset(failure)) {
      return TransportFailure.of(FailureKind.REFUSED_STREAM);
    }
    if (failure instanceof SocketTimeoutException) {
      return TransportFailure.of(FailureKind.TIMEOUT);
    }
    if (failure instanceof SSLPeerUnverifiedException) {
      return permanent(FailureKind.TLS);
    }
    if (failure instanceof ProtocolException) {
      return permanent(
          FailureKind.CONNECTION_LOST); // the answer is no HTTP; the next is not either
    }
    // A connection is tested before it carries an unsafe request, so it was alive then.
    boolean stale = wire.reused() && wire.log.deliveries() == 1 && !unsafe(wire) && silent(failure);
    return TransportFailure.of(stale ? FailureKind.STALE_CONNECTION : FailureKind.CONNECTION_LOST);
  }

  private static boolean unsafe(WireTrace wire) {
    return wire.log.safety() == Evidence.Safety.UNSAFE;
  }

  /** Whether the connection ended without a byte of an answer. */
  private static boolean silent(IOException failure) {
    if (OkHttpErrors.withinHead(failure)) {
      return false;
    }
    if (failure instanceof SocketException || OkHttpErrors.streamCancelled(failure)) {
      return true;
    }
    // Okio's message says how many bytes had come when the end of the line was missing.
    Throwable cause = failure.getCause();
    return cause instanceof EOFException
        && String.valueOf(cause.getMessage()).startsWith("\\n not found: limit=0 ");
  }

  private static TransportFailure afterAnswer(IOException failure, WireTrace wire, Response head) {
    if (!wire.handedBack() && WireRequests.followed(head)) {
      // The answer was a redirect or a challenge, and following it failed.
      return withoutConnection(failure);
    }
    return wire.handedBack()
        ? TransportFailure.of(FailureKind.BROKEN_BODY)
        : ofInterceptor(failure);
  }

  /** The meaning of an exception that came after a good answer. */
  static TransportFailure ofInterceptor(Throwable thrown) {
    // One that reads the body may also have an exception of its own.
    boolean body = thrown instanceof IOException failure && ofTransport(failure);
    return TransportFailure.of(body ? FailureKind.BROKEN_BODY : FailureKind.OTHER);
  }

  private static boolean ofTransport(IOException failure) {
    return failure instanceof ProtocolException
        || failure instanceof SocketException
        || failure instanceof SocketTimeoutException
        || failure instanceof EOFException
        || failure instanceof SSLException
        || OkHttpErrors.streamReset(failure);
  }

  private static TransportFailure withoutConnection(IOException failure) {
    boolean hopeless =
        failure instanceof SSLPeerUnverifiedException
            || failure instanceof UnknownServiceException
            || failure instanceof ProtocolException
            || "Failed to authenticate with proxy".equals(failure.getMessage())
            || refusedByProxy(String.valueOf(failure.getMessage()))
            || (failure instanceof SSLException ssl && hopeless(ssl));
    FailureKind kind = connectKind(failure);
    return hopeless ? permanent(kind) : TransportFailure.of(kind);
  }

  /** Whether the proxy's answer to CONNECT says no: it would say so again. */
  private static boolean refusedByProxy(String message) {
    String status = message.startsWith(NO_TUNNEL) ? message.substring(NO_TUNNEL.length()) : "5";
    return !status.startsWith("5") && !PASSING_PROXY_ERRORS.contains(status);
  }

  private static boolean hopeless(SSLException failure) {
    String message = String.valueOf(failure.getMessage());
    boolean certificate =
        failure instanceof SSLHandshakeException
            && failure.getCause() instanceof CertificateException;
    return certificate || message.contains("nrecognized SSL message");
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

  private static TransportFailure permanent(FailureKind kind) {
    return TransportFailure.permanent(kind, StopReason.NOT_RETRYABLE);
  }
}
