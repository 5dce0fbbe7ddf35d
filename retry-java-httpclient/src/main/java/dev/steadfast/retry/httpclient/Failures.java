package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.httpclient.FailureContext.Progress;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of the exceptions of {@code java.net.http} for the wire: by type first, then by
 * cause, and by message only where there is nothing else.
 */
final class Failures {
  private static final String TOO_MANY = "Too many retries";
  private static final String NO_TUNNEL = "Tunnel failed, got: ";
  private static final String TOO_FEW_BYTES = "Too few bytes returned by the publisher";
  private static final String TOO_MANY_BYTES = "Too many bytes in request body";
  private static final Set<String> PASSING_PROXY_ERRORS = Set.of("407", "408", "429");
  private static final Set<String> NO_CHALLENGE =
      Set.of(
          "WWW-Authenticate header missing for response code 401",
          "Proxy-Authenticate header missing for response code 407");

  private Failures() {}

  /**
   * A failure of an attempt.
   *
   * @param what the kind of failure
   * @param last the disposition of the last request
   */
  record Failure(TransportFailure what, Disposition last) {
    static Failure of(FailureKind kind, Disposition last) {
      return new Failure(TransportFailure.of(kind), last);
    }

    static Failure permanent(FailureKind kind, Disposition last, StopReason stop) {
      return new Failure(TransportFailure.permanent(kind, stop), last);
    }
  }

  private static Failure cancelled(Disposition last) {
    return Failure.permanent(FailureKind.OTHER, last, StopReason.CANCELLED);
  }

  static Failure classify(Throwable failure, FailureContext known) {
    if (hasCause(failure, RejectedExecutionException.class)) {
      return Failure.permanent(FailureKind.OTHER, known.disposition(), StopReason.REJECTED);
    }
    if (failure instanceof CancellationException) {
      return cancelled(known.disposition());
    }
    if (failure instanceof InterruptedException) {
      return Failure.permanent(FailureKind.OTHER, known.disposition(), StopReason.INTERRUPTED);
    }
    if (failure instanceof RequestBodyChangedException) {
      return Failure.permanent(FailureKind.OTHER, known.disposition(), StopReason.BODY_CHANGED);
    }
    if (known.progress() == Progress.NOT_TAKEN || !(failure instanceof IOException broken)) {
      return permanent(FailureKind.OTHER, known.disposition());
    }
    if (known.progress() == Progress.HANDED_ON) {
      return permanent(FailureKind.BROKEN_BODY, Disposition.ANSWERED);
    }
    if (known.progress() == Progress.ANSWERED) {
      return Failure.of(FailureKind.BROKEN_BODY, Disposition.ANSWERED);
    }
    Failure judged = beforeAnswer(broken, known);
    // An exception of a cookie handler may look like a failure of the client's.
    return known.progress() == Progress.PERHAPS_ANSWERED
        ? new Failure(judged.what(), Disposition.UNKNOWN)
        : judged;
  }

  /**
   * Whether the client has refused a request. Then its exception has no cause. A later exception is
   * wrapped in another.
   */
  static boolean refused(@Nullable Throwable thrown) {
    return thrown instanceof RuntimeException && thrown.getCause() == null;
  }

  private static Failure beforeAnswer(IOException failure, FailureContext known) {
    if (failure instanceof HttpConnectTimeoutException) {
      return Failure.of(FailureKind.CONNECT, known.withoutConnection());
    }
    if (failure instanceof HttpTimeoutException) {
      return Failure.of(FailureKind.TIMEOUT, Disposition.UNKNOWN);
    }
    if (failure instanceof ConnectException) {
      boolean unresolved = hasCause(failure, UnresolvedAddressException.class);
      return Failure.of(
          unresolved ? FailureKind.DNS : FailureKind.CONNECT, known.withoutConnection());
    }
    if (failure instanceof SSLException tls) {
      return tls(tls, known);
    }
    if (failure instanceof ProtocolException) {
      return brokenProtocol();
    }
    // The client throws these when a redirect has no usable address.
    if (hasCause(failure, UncheckedIOException.class)
        || hasCause(failure, IllegalArgumentException.class)) {
      return brokenProtocol();
    }
    if (isTooManyAnswers(failure)) {
      return permanent(FailureKind.ERROR_STATUS, Disposition.UNKNOWN);
    }
    return byMessage(ownMessage(failure), known);
  }

  /**
   * Whether the client has met too many redirects and challenges in one request. If connections
   * broke, too, the last of these failures is the cause. {@code send} adds an exception with the
   * same message.
   */
  private static boolean isTooManyAnswers(IOException failure) {
    if (!ownMessage(failure).equals(TOO_MANY)) {
      return false;
    }
    Throwable cause = failure.getCause();
    if (cause != null && TOO_MANY.equals(cause.getMessage())) {
      cause = cause.getCause();
    }
    return cause == null;
  }

  /** The meaning of the proxy's answer to CONNECT. A proxy that says no would say so again. */
  private static Failure noTunnel(String status, FailureContext known) {
    Disposition unsent = known.withoutHandshake();
    boolean passing = status.startsWith("5") || PASSING_PROXY_ERRORS.contains(status);
    return passing
        ? Failure.of(FailureKind.CONNECT, unsent)
        : permanent(FailureKind.CONNECT, unsent);
  }

  private static Failure tls(SSLException failure, FailureContext known) {
    boolean untrusted =
        failure instanceof SSLPeerUnverifiedException
            || hasCause(failure, CertificateException.class)
            || hasCause(failure, CertPathValidatorException.class);
    String message = String.valueOf(failure.getMessage());
    if (untrusted || message.contains("Unrecognized SSL message")) { // no TLS at that port
      return permanent(FailureKind.TLS, known.withoutHandshake());
    }
    if (message.contains("Remote host terminated the handshake")) {
      return Failure.of(FailureKind.TLS, known.withoutHandshake());
    }
    // The server may refuse the client when a request is on its way already, with TLS 1.3.
    return Failure.of(
        failure instanceof SSLHandshakeException ? FailureKind.TLS : FailureKind.CONNECTION_LOST,
        Disposition.UNKNOWN);
  }

  // The client's own messages come with this very class. A ProtocolException quotes the server.
  private static String ownMessage(IOException failure) {
    return failure.getClass() == IOException.class ? String.valueOf(failure.getMessage()) : "";
  }

  // Judges a plain IOException by its message, as the client gives nothing else. A message may
  // quote the server, so one that proves something is compared as a whole.
  private static Failure byMessage(String message, FailureContext known) {
    // REFUSED_STREAM or GOAWAY (RFC 9113 section 8.7), before and since JDK-8335181; since then the
    // JDK has sent the request again once before it says so.
    if (message.equals("Received RST_STREAM: Stream not processed")
        || message.equals("request not processed by peer")) {
      return Failure.of(FailureKind.REFUSED_STREAM, Disposition.REFUSED);
    }
    if (message.endsWith(": GOAWAY received")) { // older JDKs; an address is before it
      return Failure.of(FailureKind.GOAWAY, Disposition.UNKNOWN);
    }
    if (message.startsWith("too many authentication attempts")
        || message.equals("No credentials provided")
        || NO_CHALLENGE.contains(message)) {
      return permanent(FailureKind.ERROR_STATUS, Disposition.REFUSED); // 401 or 407
    }
    // The publisher gives another length than it has said. The connection's name is before it.
    if (message.contains(TOO_FEW_BYTES) || message.contains(TOO_MANY_BYTES)) {
      return permanent(FailureKind.OTHER, Disposition.UNKNOWN);
    }
    if (message.startsWith(NO_TUNNEL)) {
      return noTunnel(message.substring(NO_TUNNEL.length()), known);
    }
    if (message.equals("unexpected content length header with 204 response")) {
      return brokenProtocol();
    }
    if (message.equals("too many concurrent streams")) { // the client, at the server's limit
      return Failure.of(FailureKind.CONNECT, known.withoutConnection());
    }
    return switch (message) {
      case "closed" -> // the client was, before this request
          Failure.permanent(FailureKind.OTHER, Disposition.UNSENT, StopReason.REJECTED);
      case "shutdownNow" -> cancelled(Disposition.UNKNOWN);
      default -> Failure.of(FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);
    };
  }

  /** The server may have acted. Its answer breaks the protocol, and the next one would, too. */
  private static Failure brokenProtocol() {
    return permanent(FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);
  }

  private static Failure permanent(FailureKind kind, Disposition last) {
    return Failure.permanent(kind, last, StopReason.NOT_RETRYABLE);
  }

  private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
    Throwable each = failure;
    for (int depth = 0; each != null && depth < 20; depth++) {
      if (type.isInstance(each)) {
        return true;
      }
      each = each.getCause();
    }
    return false;
  }

  /**
   * The same failure in an object of its own. When an HTTP/2 connection breaks, all its streams get
   * one and the same exception, and the report of one operation must not ride on the exception of
   * another.
   */
  static Throwable ownCopy(Throwable failure) {
    Throwable copy =
        OF_ONE_REQUEST.contains(failure.getClass())
            ? null
            : sameClass(failure.getClass(), failure.getMessage());
    if (copy == null) {
      return failure;
    }
    if (failure.getCause() != null) {
      copy.initCause(failure.getCause());
    }
    copy.setStackTrace(failure.getStackTrace());
    return copy;
  }

  /**
   * The exception of an asynchronous send as the client's {@code send} throws it: of the same
   * class, with the frames of the caller, and with the original as its cause.
   */
  static IOException withFramesOfCaller(IOException failure) {
    IOException copy = sameClass(failure.getClass(), failure.getMessage());
    if (copy == null) {
      return failure; // of a class that the client does not copy either
    }
    copy.initCause(failure);
    return copy;
  }

  /**
   * The exception that the client's {@code send} has wrapped in an exception with the frames of the
   * caller.
   */
  static Throwable wrappedBySend(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause != null
            && failure instanceof IOException
            && failure.getClass().isInstance(cause)
            && Objects.equals(failure.getMessage(), cause.getMessage())
        ? cause
        : failure;
  }

  /** The exception of a body as the client's {@code send} would throw it. */
  static Throwable thrownBySend(Throwable failure) {
    String message = failure.getMessage();
    if (failure instanceof IOException broken) {
      return withFramesOfCaller(broken);
    }
    if (failure instanceof IllegalArgumentException) {
      return new IllegalArgumentException(message, failure);
    }
    return failure instanceof SecurityException
        ? new SecurityException(message, failure)
        : new IOException(message, failure);
  }

  private static @Nullable IOException sameClass(Class<?> type, @Nullable String message) {
    Function<@Nullable String, IOException> copy = COPIES.get(type);
    return copy == null ? null : copy.apply(message);
  }

  private static final Set<Class<?>> OF_ONE_REQUEST =
      Set.of(
          ConnectException.class,
          HttpTimeoutException.class,
          HttpConnectTimeoutException.class,
          SSLHandshakeException.class);

  private static final Map<Class<?>, Function<@Nullable String, IOException>> COPIES =
      Map.of(
          IOException.class, IOException::new,
          EOFException.class, EOFException::new,
          SocketException.class, SocketException::new,
          ConnectException.class, ConnectException::new,
          ProtocolException.class, ProtocolException::new,
          HttpTimeoutException.class, HttpTimeoutException::new,
          HttpConnectTimeoutException.class, HttpConnectTimeoutException::new,
          SSLException.class, SSLException::new,
          SSLHandshakeException.class, SSLHandshakeException::new,
          ClosedChannelException.class, unused -> new ClosedChannelException());

  /** The failure within the wrappers of a future. */
  static Throwable unwrapped(Throwable thrown) {
    Throwable each = thrown;
    while (each instanceof CompletionException || each instanceof ExecutionException) {
      Throwable cause = each.getCause();
      if (cause == null) {
        return each;
      }
      each = cause;
    }
    return each;
  }
}
