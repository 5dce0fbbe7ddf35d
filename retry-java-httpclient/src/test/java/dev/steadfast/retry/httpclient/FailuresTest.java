package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.SendState;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.httpclient.Circumstances.BodyUse;
import dev.steadfast.retry.httpclient.Circumstances.Hops;
import dev.steadfast.retry.httpclient.Circumstances.Progress;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class FailuresTest {
  private static final Circumstances NOT_TAKEN =
      new Circumstances(Progress.NOT_TAKEN, BodyUse.UNTOUCHED, Hops.ONE);
  private static final Circumstances SENT =
      new Circumstances(Progress.TAKEN, BodyUse.ASKED_FOR, Hops.ONE);
  private static final Circumstances WAITING =
      new Circumstances(Progress.TAKEN, BodyUse.UNTOUCHED, Hops.ONE);
  private static final Circumstances BODYLESS =
      new Circumstances(Progress.TAKEN, BodyUse.NONE, Hops.ONE);
  private static final Circumstances ANSWERED =
      new Circumstances(Progress.ANSWERED, BodyUse.ASKED_FOR, Hops.ONE);

  private static final Circumstances HANDED_ON =
      new Circumstances(Progress.HANDED_ON, BodyUse.ASKED_FOR, Hops.ONE);

  private static <X extends Throwable> X because(X failure, Throwable cause) {
    failure.initCause(cause);
    return failure;
  }

  private static Arguments row(
      Throwable failure, Circumstances known, FailureKind kind, SendState state) {
    return row(failure, known, kind, state, null);
  }

  private static Arguments row(
      Throwable failure, Circumstances known, FailureKind kind, SendState state, StopReason stop) {
    return Arguments.of(failure, known, new TransportFailure(kind, state, stop));
  }

  private static Arguments quoting(IOException failure) {
    return row(failure, WAITING, FailureKind.CONNECTION_LOST, SendState.MAYBE_PROCESSED);
  }

  static Stream<Arguments> table() {
    SendState never = SendState.NEVER_SENT;
    SendState maybe = SendState.MAYBE_PROCESSED;
    SendState answered = SendState.ANSWERED;
    StopReason permanent = StopReason.NOT_RETRYABLE;
    IOException eof =
        because(new IOException("HTTP/1.1 header parser received no bytes"), new EOFException());
    IOException truncated = new IOException("fixed content-length: 100, bytes received: 3");
    ConnectException unresolved = because(new ConnectException(), new UnresolvedAddressException());
    ConnectException refused = because(new ConnectException(), new ClosedChannelException());
    SSLHandshakeException path =
        because(
            new SSLHandshakeException("PKIX path building failed"),
            new CertificateException("PKIX path building failed"));
    SSLHandshakeException expired =
        because(new SSLHandshakeException("expired"), new CertPathValidatorException("expired"));
    return Stream.of(
        // No connection.
        row(unresolved, WAITING, FailureKind.DNS, never),
        row(unresolved, BODYLESS, FailureKind.DNS, never),
        row(unresolved, SENT, FailureKind.DNS, maybe),
        row(refused, WAITING, FailureKind.CONNECT, never),
        row(refused, SENT, FailureKind.CONNECT, maybe),
        row(
            new HttpConnectTimeoutException("HTTP connect timed out"),
            WAITING,
            FailureKind.CONNECT,
            never),
        row(
            new HttpConnectTimeoutException("HTTP connect timed out"),
            SENT,
            FailureKind.CONNECT,
            maybe),
        row(new IOException("too many concurrent streams"), WAITING, FailureKind.CONNECT, never),
        row(new IOException("too many concurrent streams"), SENT, FailureKind.CONNECT, maybe),
        row(new IOException("Tunnel failed, got: 503"), WAITING, FailureKind.CONNECT, never),
        // No handshake.
        row(path, SENT, FailureKind.TLS, never, permanent),
        row(expired, WAITING, FailureKind.TLS, never, permanent),
        row(new SSLPeerUnverifiedException("pin"), SENT, FailureKind.TLS, never, permanent),
        row(
            new SSLException("Unrecognized SSL message, plaintext connection?"),
            SENT,
            FailureKind.TLS,
            never,
            permanent),
        row(
            new SSLHandshakeException("Remote host terminated the handshake"),
            SENT,
            FailureKind.TLS,
            never),
        row(
            new SSLHandshakeException("Received fatal alert: certificate_required"),
            SENT,
            FailureKind.TLS,
            maybe),
        row(new SSLException("Connection reset"), SENT, FailureKind.CONNECTION_LOST, maybe),
        // No answer.
        row(new HttpTimeoutException("request timed out"), SENT, FailureKind.TIMEOUT, maybe),
        row(eof, SENT, FailureKind.CONNECTION_LOST, maybe),
        row(new SocketException("Connection reset"), SENT, FailureKind.CONNECTION_LOST, maybe),
        row(new ProtocolException("bad"), SENT, FailureKind.CONNECTION_LOST, maybe),
        row(new IOException((String) null), SENT, FailureKind.CONNECTION_LOST, maybe),
        row(
            new IOException("Received RST_STREAM: Stream not processed"),
            SENT,
            FailureKind.REFUSED_STREAM,
            SendState.REFUSED_UNPROCESSED),
        row(
            new IOException("request not processed by peer"),
            SENT,
            FailureKind.REFUSED_STREAM,
            SendState.REFUSED_UNPROCESSED),
        row(
            new IOException("too many authentication attempts. Limit: 3"),
            SENT,
            FailureKind.ERROR_STATUS,
            answered,
            permanent),
        row(
            new IOException("No credentials provided"),
            SENT,
            FailureKind.ERROR_STATUS,
            answered,
            permanent),
        // No answer, and a message that quotes what the server wrote.
        quoting(new ProtocolException("Invalid status line: \"HTTP/1.1 Stream not processed\"")),
        quoting(new ProtocolException("Received RST_STREAM: Stream not processed")),
        quoting(new ProtocolException("request not processed by peer")),
        quoting(
            new IOException("parsing HTTP/1.1 status line, receiving [Stream not processed]", eof)),
        quoting(new IOException("RST_STREAM received Stream not processed")),
        quoting(new ProtocolException("Tunnel failed, got: 503")),
        quoting(new ProtocolException("too many concurrent streams")),
        quoting(new ProtocolException("closed")),
        // A broken answer.
        row(truncated, ANSWERED, FailureKind.BROKEN_BODY, answered),
        row(refused, ANSWERED, FailureKind.BROKEN_BODY, answered),
        row(new HttpTimeoutException("late"), ANSWERED, FailureKind.BROKEN_BODY, answered),
        row(truncated, HANDED_ON, FailureKind.BROKEN_BODY, answered, permanent),
        // The client.
        row(new IOException("closed"), SENT, FailureKind.OTHER, never, StopReason.REJECTED),
        row(new IOException("shutdownNow"), SENT, FailureKind.OTHER, maybe, StopReason.CANCELLED),
        row(new CancellationException(), SENT, FailureKind.OTHER, maybe, StopReason.CANCELLED),
        row(
            new CancellationException(),
            ANSWERED,
            FailureKind.OTHER,
            answered,
            StopReason.CANCELLED),
        row(
            new RejectedExecutionException(),
            NOT_TAKEN,
            FailureKind.OTHER,
            never,
            StopReason.REJECTED),
        row(
            new IOException(new RejectedExecutionException()),
            SENT,
            FailureKind.OTHER,
            maybe,
            StopReason.REJECTED),
        row(new IllegalArgumentException(), NOT_TAKEN, FailureKind.OTHER, never, permanent),
        row(new IOException("any"), NOT_TAKEN, FailureKind.OTHER, never, permanent),
        row(new IllegalStateException(), SENT, FailureKind.OTHER, maybe, permanent),
        row(new StackOverflowError(), SENT, FailureKind.OTHER, maybe, permanent),
        // The request body.
        row(
            new RequestBodyChangedException(1, 2),
            SENT,
            FailureKind.OTHER,
            maybe,
            StopReason.BODY_CHANGED));
  }

  @ParameterizedTest
  @MethodSource("table")
  void exceptionMeans(Throwable failure, Circumstances known, TransportFailure expected) {
    assertEquals(expected, Failures.classify(failure, known));
  }

  @ParameterizedTest
  @CsvSource({
    // body, hops, connect, handshake, refused
    "NONE, ONE, NEVER_SENT, NEVER_SENT, REFUSED_UNPROCESSED",
    "NONE, CHALLENGES, MAYBE_PROCESSED, MAYBE_PROCESSED, REFUSED_UNPROCESSED",
    "NONE, REDIRECTS, MAYBE_PROCESSED, MAYBE_PROCESSED, MAYBE_PROCESSED",
    "UNTOUCHED, ONE, NEVER_SENT, NEVER_SENT, REFUSED_UNPROCESSED",
    "UNTOUCHED, CHALLENGES, NEVER_SENT, NEVER_SENT, REFUSED_UNPROCESSED",
    "UNTOUCHED, REDIRECTS, NEVER_SENT, NEVER_SENT, MAYBE_PROCESSED",
    "ASKED_FOR, ONE, MAYBE_PROCESSED, NEVER_SENT, REFUSED_UNPROCESSED",
    "ASKED_FOR, CHALLENGES, MAYBE_PROCESSED, MAYBE_PROCESSED, REFUSED_UNPROCESSED",
    "ASKED_FOR, REDIRECTS, MAYBE_PROCESSED, MAYBE_PROCESSED, MAYBE_PROCESSED"
  })
  void whatAnExceptionProvesDependsOnWhatElseWasSent(
      BodyUse body, Hops hops, SendState connect, SendState handshake, SendState refused) {
    Circumstances known = new Circumstances(Progress.TAKEN, body, hops);
    assertEquals(connect, known.withoutConnection());
    assertEquals(handshake, known.withoutHandshake());
    assertEquals(refused, known.refused());
    assertEquals(SendState.MAYBE_PROCESSED, known.sendState());
  }

  @Test
  void causesThatGoRoundInCirclesEnd() {
    IOException one = new IOException("one");
    IOException two = new IOException("two", one);
    one.initCause(two);
    assertEquals(FailureKind.CONNECTION_LOST, Failures.classify(one, SENT).kind());
  }

  @ParameterizedTest
  @EnumSource
  void copyIsTheSameInAllButIdentity(Shared shared) {
    Throwable original = because(shared.make(), new SocketException("Connection reset"));
    Throwable copy = Failures.ownCopy(original);
    assertNotSame(original, copy);
    assertSame(original.getClass(), copy.getClass());
    assertEquals(original.getMessage(), copy.getMessage());
    assertSame(original.getCause(), copy.getCause());
    assertEquals(original.getStackTrace()[0], copy.getStackTrace()[0]);
    assertEquals(null, Failures.ownCopy(shared.make()).getCause());
  }

  /** Exceptions that belong to a connection. */
  enum Shared {
    IO,
    EOF,
    SOCKET,
    PROTOCOL,
    TLS,
    CLOSED;

    Throwable make() {
      return switch (this) {
        case IO -> new IOException("message");
        case EOF -> new EOFException("message");
        case SOCKET -> new SocketException("message");
        case PROTOCOL -> new ProtocolException("message");
        case TLS -> new SSLException("message");
        case CLOSED -> new ClosedChannelException();
      };
    }
  }

  @Test
  void exceptionsOfOneRequestAreNotCopied() {
    HttpTimeoutException own = new HttpTimeoutException("request timed out");
    assertSame(own, Failures.ownCopy(own));
    IllegalStateException unchecked = new IllegalStateException();
    assertSame(unchecked, Failures.ownCopy(unchecked));
  }
}
