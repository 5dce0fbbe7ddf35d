package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.httpclient.FailureContext.BodyUse;
import dev.steadfast.retry.httpclient.FailureContext.Hops;
import dev.steadfast.retry.httpclient.FailureContext.Progress;
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
  private static final FailureContext NOT_TAKEN =
      new FailureContext(Progress.NOT_TAKEN, BodyUse.UNTOUCHED, Hops.ONE, false);
  private static final FailureContext SENT =
      new FailureContext(Progress.TAKEN, BodyUse.ASKED_FOR, Hops.ONE, false);
  private static final FailureContext WAITING =
      new FailureContext(Progress.TAKEN, BodyUse.UNTOUCHED, Hops.ONE, false);
  private static final FailureContext BODYLESS =
      new FailureContext(Progress.TAKEN, BodyUse.NONE, Hops.ONE, false);
  private static final FailureContext ANSWERED =
      new FailureContext(Progress.ANSWERED, BodyUse.ASKED_FOR, Hops.ONE, false);

  private static final FailureContext HANDED_ON =
      new FailureContext(Progress.HANDED_ON, BodyUse.ASKED_FOR, Hops.ONE, false);

  private static <X extends Throwable> X because(X failure, Throwable cause) {
    failure.initCause(cause);
    return failure;
  }

  private static Arguments row(
      Throwable failure, FailureContext known, FailureKind kind, Disposition state) {
    return row(failure, known, kind, state, null);
  }

  private static Arguments row(
      Throwable failure,
      FailureContext known,
      FailureKind kind,
      Disposition state,
      StopReason stop) {
    return Arguments.of(
        failure, known, new Failures.Failure(new TransportFailure(kind, stop), state));
  }

  private static Arguments quoting(IOException failure) {
    return row(failure, WAITING, FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);
  }

  private static Arguments quotingFinal(ProtocolException failure) {
    StopReason stop = StopReason.NOT_RETRYABLE;
    return row(failure, WAITING, FailureKind.CONNECTION_LOST, Disposition.UNKNOWN, stop);
  }

  static Stream<Arguments> table() {
    Disposition never = Disposition.UNSENT;
    Disposition maybe = Disposition.UNKNOWN;
    Disposition answered = Disposition.ANSWERED;
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
        row(new IOException("Tunnel failed, got: 429"), WAITING, FailureKind.CONNECT, never),
        row(
            new IOException("Tunnel failed, got: 403"),
            WAITING,
            FailureKind.CONNECT,
            never,
            permanent),
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
        row(new ProtocolException("bad"), SENT, FailureKind.CONNECTION_LOST, maybe, permanent),
        row(new IOException((String) null), SENT, FailureKind.CONNECTION_LOST, maybe),
        row(
            new IOException("Received RST_STREAM: Stream not processed"),
            SENT,
            FailureKind.REFUSED_STREAM,
            Disposition.REFUSED),
        row(
            new IOException("request not processed by peer"),
            SENT,
            FailureKind.REFUSED_STREAM,
            Disposition.REFUSED),
        row(
            new IOException("too many authentication attempts. Limit: 3"),
            SENT,
            FailureKind.ERROR_STATUS,
            Disposition.REFUSED,
            permanent),
        row(new IOException("Too many retries"), SENT, FailureKind.ERROR_STATUS, maybe, permanent),
        row(
            new IOException("Too many retries", new IOException("Too many retries")),
            SENT,
            FailureKind.ERROR_STATUS,
            maybe,
            permanent),
        row(
            new IOException("Too many retries", new IOException("Connection reset")),
            SENT,
            FailureKind.CONNECTION_LOST,
            maybe),
        row(
            new IOException("No credentials provided"),
            SENT,
            FailureKind.ERROR_STATUS,
            Disposition.REFUSED,
            permanent),
        row(
            new IOException("WWW-Authenticate header missing for response code 401"),
            SENT,
            FailureKind.ERROR_STATUS,
            Disposition.REFUSED,
            permanent),
        row(
            new IOException("Proxy-Authenticate header missing for response code 407"),
            SENT,
            FailureKind.ERROR_STATUS,
            Disposition.REFUSED,
            permanent),
        // No answer, and a message that quotes what the server wrote.
        quotingFinal(
            new ProtocolException("Invalid status line: \"HTTP/1.1 Stream not processed\"")),
        quotingFinal(new ProtocolException("Received RST_STREAM: Stream not processed")),
        quotingFinal(new ProtocolException("request not processed by peer")),
        quoting(
            new IOException("parsing HTTP/1.1 status line, receiving [Stream not processed]", eof)),
        quoting(new IOException("RST_STREAM received Stream not processed")),
        quotingFinal(new ProtocolException("Tunnel failed, got: 503")),
        quotingFinal(new ProtocolException("too many concurrent streams")),
        quotingFinal(new ProtocolException("closed")),
        // An answer that breaks the protocol.
        row(
            new IOException("unexpected content length header with 204 response"),
            SENT,
            FailureKind.CONNECTION_LOST,
            maybe,
            permanent),
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
        // A redirect without a usable address.
        row(
            new IOException(new IllegalArgumentException("no host")),
            SENT,
            FailureKind.CONNECTION_LOST,
            maybe,
            permanent),
        row(new IllegalArgumentException(), NOT_TAKEN, FailureKind.OTHER, never, permanent),
        row(new IOException("any"), NOT_TAKEN, FailureKind.OTHER, never, permanent),
        row(new IllegalStateException(), SENT, FailureKind.OTHER, maybe, permanent),
        row(new StackOverflowError(), SENT, FailureKind.OTHER, maybe, permanent),
        // The request body.
        row(
            new RequestBodyChangedException(""),
            SENT,
            FailureKind.OTHER,
            maybe,
            StopReason.BODY_CHANGED));
  }

  @ParameterizedTest
  @MethodSource("table")
  void exceptionMeans(Throwable failure, FailureContext known, Failures.Failure expected) {
    assertEquals(expected, Failures.classify(failure, known));
  }

  /** {@code send} gives a class that it does not know the next one that it knows. */
  @Test
  void bothWaysIntoTheClientMeanTheSame() {
    SSLPeerUnverifiedException peer = new SSLPeerUnverifiedException("no certificate");
    ProtocolException head = new ProtocolException("Invalid status line");
    assertMeansTheSame(peer, because(new SSLException(peer.getMessage()), peer));
    assertMeansTheSame(head, new IOException(head.getMessage(), head));
    IOException another = new IOException("HTTP/1.1 header parser received no bytes", head);
    assertSame(another, Failures.wrappedBySend(another));
  }

  private static void assertMeansTheSame(IOException own, IOException ofSend) {
    Throwable unwrapped = Failures.wrappedBySend(ofSend);
    assertEquals(
        Failures.classify(own, SENT), Failures.classify(unwrapped, SENT), ofSend::toString);
  }

  @ParameterizedTest
  @CsvSource({
    // body, hops, whether the client resends by itself: without connection, without handshake
    "NONE, ONE, false, UNSENT UNSENT",
    "NONE, ONE, true, UNKNOWN UNKNOWN",
    "NONE, CHALLENGES, false, UNKNOWN UNKNOWN",
    "NONE, REDIRECTS, false, UNKNOWN UNKNOWN",
    "UNTOUCHED, ONE, false, UNSENT UNSENT",
    "UNTOUCHED, ONE, true, UNSENT UNSENT",
    "UNTOUCHED, CHALLENGES, false, UNSENT UNSENT",
    "UNTOUCHED, REDIRECTS, false, UNSENT UNSENT",
    "ASKED_FOR, ONE, false, UNKNOWN UNSENT",
    "ASKED_FOR, ONE, true, UNKNOWN UNKNOWN",
    "ASKED_FOR, CHALLENGES, false, UNKNOWN UNKNOWN",
    "ASKED_FOR, REDIRECTS, false, UNKNOWN UNKNOWN"
  })
  void whatAnExceptionProvesDependsOnWhatElseWasSent(
      BodyUse body, Hops hops, boolean resends, String expected) {
    FailureContext known = new FailureContext(Progress.TAKEN, body, hops, resends);
    assertEquals(expected, known.withoutConnection() + " " + known.withoutHandshake());
    assertEquals(Disposition.UNKNOWN, known.disposition());
  }

  @ParameterizedTest
  @CsvSource({
    // hops, whether the client resends by itself, the last request: may they all be repeated?
    "ONE, false, REFUSED, UNPROCESSED",
    "CHALLENGES, false, REFUSED, UNPROCESSED",
    "REDIRECTS, false, REFUSED, UNSAFE",
    "ONE, true, REFUSED, UNSAFE",
    "ONE, false, UNKNOWN, UNSAFE",
    "REDIRECTS, true, UNSENT, UNPROCESSED"
  })
  void theRequestsBeforeTheLastOneCountToo(
      Hops hops, boolean resends, Disposition last, Safety expected) {
    FailureContext known = new FailureContext(Progress.TAKEN, BodyUse.NONE, hops, resends);
    assertEquals(expected, known.evidence(last, Safety.UNSAFE, -1, -1).safety());
  }

  @Test
  void causesThatGoRoundInCirclesEnd() {
    IOException one = new IOException("one");
    IOException two = new IOException("two", one);
    one.initCause(two);
    assertEquals(FailureKind.CONNECTION_LOST, Failures.classify(one, SENT).what().kind());
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
