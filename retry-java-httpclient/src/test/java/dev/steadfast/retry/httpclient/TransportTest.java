package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.Authenticator;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong on the wire, and what the JDK does beneath an attempt. */
class TransportTest {
  @RegisterExtension private final Bench bench = new Bench();

  private RetryingHttpClient client(HttpClient.Builder plain) {
    return RetryingHttpClient.wrap(plain.build(), bench.retry().build());
  }

  private HttpRequest request(String method) {
    return HttpRequest.newBuilder(bench.server.uri("/things"))
        .method(method, BodyPublishers.noBody())
        .build();
  }

  private static RetryReport report(Throwable thrown) {
    return RetryReport.of(thrown).orElseThrow();
  }

  private static AttemptReport last(Throwable thrown) {
    return report(thrown).last().orElseThrow();
  }

  // ---- what the JDK resends by itself

  @Test
  void getThatTheJdkResendsIsOneAttemptToUs() throws Exception {
    bench.server.enqueue(Reply.closeAfterRequest());
    HttpResponse<String> response = bench.client().send(bench.get(), BodyHandlers.ofString());
    assertEquals(1, JdkReports.of(response).attempts());
    assertEquals(2, bench.server.requests().size(), "one delivery that no report can know of");
  }

  @Test
  void everyAttemptOfAGetMayBeTwoDeliveries() {
    bench.server.defaultReply(Reply.closeAfterRequest());
    IOException thrown =
        assertThrows(
            IOException.class, () -> bench.client().send(bench.get(), BodyHandlers.ofString()));
    assertEquals(3, report(thrown).attempts());
    assertEquals(6, bench.server.requests().size());
    assertTrue(last(thrown).deliveries().isEmpty(), "the client does not show it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
  void otherMethodsAreDeliveredOncePerAttempt(String method) throws Exception {
    bench.server.enqueue(Reply.closeAfterRequest());
    bench
        .client(bench.retry().idempotencyKeys(IdempotencyKeys.randomUuid()))
        .send(request(method), BodyHandlers.ofString());
    assertEquals(2, bench.server.requests().size());
  }

  // ---- no connection

  @Test
  void hostThatDoesNotResolveIsTriedOnceMore() {
    URI unknown = URI.create("http://no-such-host.invalid/");
    HttpRequest request =
        HttpRequest.newBuilder(unknown).POST(BodyPublishers.ofString("order")).build();
    ConnectException thrown =
        assertThrows(
            ConnectException.class, () -> bench.client().send(request, BodyHandlers.ofString()));
    assertEquals(2, report(thrown).attempts());
    assertEquals(FailureKind.DNS, last(thrown).kind().orElseThrow());
    assertEquals(Disposition.UNSENT, last(thrown).disposition());
  }

  /** Except GET, which the client sends again by itself when a connection breaks. */
  @ParameterizedTest
  @CsvSource({"POST, false", "DELETE, false", "GET, true", "HEAD, true"})
  void refusedConnectionProvesThatNothingWasSent(String method, boolean mayHaveActed) {
    try (RefusedPort nobody = RefusedPort.open()) {
      HttpRequest request =
          HttpRequest.newBuilder(nobody.uri("/")).method(method, BodyPublishers.noBody()).build();
      ConnectException thrown =
          assertThrows(
              ConnectException.class, () -> bench.client().send(request, BodyHandlers.ofString()));
      assertEquals(3, report(thrown).attempts());
      assertEquals(FailureKind.CONNECT, last(thrown).kind().orElseThrow());
      assertEquals(mayHaveActed, report(thrown).serverMayHaveActed());
    }
  }

  @Test
  void refusedConnectionAfterARedirectDoesNot() {
    // The POST was processed. The GET after it finds no server.
    try (RefusedPort nobody = RefusedPort.open()) {
      bench.server.defaultReply(Reply.status(303).header("Location", nobody.uri("/").toString()));
      RetryingHttpClient client = client(Bench.plain().followRedirects(HttpClient.Redirect.ALWAYS));
      ConnectException thrown =
          assertThrows(
              ConnectException.class,
              () -> client.send(bench.post("order"), BodyHandlers.ofString()));
      assertEquals(StopReason.NOT_REPLAYABLE, report(thrown).reason());
      assertEquals(Disposition.UNKNOWN, last(thrown).disposition());

      ConnectException withoutBody =
          assertThrows(
              ConnectException.class, () -> client.send(request("POST"), BodyHandlers.ofString()));
      assertEquals(StopReason.NOT_REPLAYABLE, report(withoutBody).reason());
      assertEquals(2, bench.server.requests().size());
    }
  }

  /** The server may act on the head alone, and the client then never asks for the body. */
  @Test
  void norDoesItIfTheBodyWasToWaitForAnAnswer() {
    try (RefusedPort nobody = RefusedPort.open()) {
      bench.server.defaultReply(
          Reply.status(303).header("Location", nobody.uri("/").toString()).onHead());
      RetryingHttpClient client = client(Bench.plain().followRedirects(HttpClient.Redirect.ALWAYS));
      HttpRequest request =
          HttpRequest.newBuilder(bench.server.uri("/things"))
              .expectContinue(true)
              .POST(BodyPublishers.ofString("order"))
              .build();
      ConnectException thrown =
          assertThrows(ConnectException.class, () -> client.send(request, BodyHandlers.ofString()));
      assertEquals(StopReason.NOT_REPLAYABLE, report(thrown).reason());
      assertTrue(report(thrown).outcomeUnknown());
      assertEquals(1, bench.server.requests().size());
    }
  }

  @Test
  void bodyThatWasNotAskedForProvesItWhateverTheClientFollows() {
    try (RefusedPort nobody = RefusedPort.open()) {
      RetryingHttpClient client = client(Bench.plain().followRedirects(HttpClient.Redirect.ALWAYS));
      HttpRequest request =
          HttpRequest.newBuilder(nobody.uri("/")).POST(BodyPublishers.ofString("order")).build();
      ConnectException thrown =
          assertThrows(ConnectException.class, () -> client.send(request, BodyHandlers.ofString()));
      assertEquals(3, report(thrown).attempts());
      assertEquals(Disposition.UNSENT, last(thrown).disposition());
    }
  }

  // ---- TLS

  private static final HeldCertificate CERTIFICATE =
      new HeldCertificate.Builder()
          .addSubjectAlternativeName("127.0.0.1")
          .addSubjectAlternativeName("localhost")
          .build();

  private static HttpRequest post(URI uri) {
    return HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString("order")).build();
  }

  private static HttpClient.Builder trusting(HeldCertificate certificate) {
    return Bench.plain()
        .sslContext(
            new HandshakeCertificates.Builder()
                .addTrustedCertificate(certificate.certificate())
                .build()
                .sslContext());
  }

  private static ScriptedServer tls() {
    return ScriptedServer.start(
        new HandshakeCertificates.Builder().heldCertificate(CERTIFICATE).build().sslContext());
  }

  @Test
  void trustedServerIsRetriedAsAnyOther() throws Exception {
    try (ScriptedServer server = tls()) {
      server.enqueue(Reply.status(503));
      HttpRequest request =
          HttpRequest.newBuilder(server.uri("/")).PUT(BodyPublishers.ofString("a")).build();
      HttpResponse<String> response =
          client(trusting(CERTIFICATE)).send(request, BodyHandlers.ofString());
      assertEquals(2, JdkReports.of(response).attempts());
    }
  }

  @Test
  void untrustedCertificateIsPermanent() {
    try (ScriptedServer server = tls()) {
      SSLHandshakeException thrown =
          assertThrows(
              SSLHandshakeException.class,
              () -> bench.client().send(post(server.uri("/")), BodyHandlers.ofString()));
      assertEquals(StopReason.NOT_RETRYABLE, report(thrown).reason());
      assertEquals(FailureKind.TLS, last(thrown).kind().orElseThrow());
      assertEquals(Disposition.UNSENT, last(thrown).disposition());
    }
  }

  @Test
  void certificateForAnotherHostIsPermanent() {
    HeldCertificate other =
        new HeldCertificate.Builder().addSubjectAlternativeName("example.com").build();
    try (ScriptedServer server =
        ScriptedServer.start(
            new HandshakeCertificates.Builder().heldCertificate(other).build().sslContext())) {
      SSLHandshakeException thrown =
          assertThrows(
              SSLHandshakeException.class,
              () -> client(trusting(other)).send(post(server.uri("/")), BodyHandlers.ofString()));
      assertEquals(StopReason.NOT_RETRYABLE, report(thrown).reason());
    }
  }

  @Test
  void portWithoutTlsIsPermanent() {
    URI wrong = URI.create("https://127.0.0.1:" + bench.server.port() + "/");
    // To the server the handshake is a malformed request, which its close() reports.
    bench.server.routeByHead(head -> Reply.garbage());
    SSLException thrown =
        assertThrows(
            SSLException.class, () -> bench.client().send(post(wrong), BodyHandlers.ofString()));
    assertEquals(StopReason.NOT_RETRYABLE, report(thrown).reason());
    assertThrows(AssertionError.class, bench.server::close);
  }

  @Test
  void handshakeThatIsCutIsRetriedForAnyRequest() throws Exception {
    try (CutHandshakes server = new CutHandshakes()) {
      SSLHandshakeException thrown =
          assertThrows(
              SSLHandshakeException.class,
              () -> bench.client().send(post(server.uri()), BodyHandlers.ofString()));
      assertEquals(StopReason.ATTEMPTS_EXHAUSTED, report(thrown).reason());
      assertEquals(FailureKind.TLS, last(thrown).kind().orElseThrow());
      assertFalse(report(thrown).serverMayHaveActed());
    }
  }

  // ---- redirects, challenges, expectations

  @Test
  void redirectsAreFollowedWithinAnAttempt() throws Exception {
    bench.server.enqueue(
        Reply.status(302).header("Location", "/elsewhere"),
        Reply.status(503),
        Reply.status(302).header("Location", "/elsewhere"));
    RetryingHttpClient client = client(Bench.plain().followRedirects(HttpClient.Redirect.NORMAL));
    HttpResponse<String> response = client.send(bench.get(), BodyHandlers.ofString());
    assertEquals(2, JdkReports.of(response).attempts());
    assertEquals(
        List.of("/things", "/elsewhere", "/things", "/elsewhere"),
        bench.server.requests().stream().map(Received::target).toList());
    assertEquals(302, response.previousResponse().orElseThrow().statusCode());
    assertEquals("/elsewhere", response.uri().getPath());
  }

  /** The JDK keeps some methods on 301 and 302. The request before may have had its effect. */
  @ParameterizedTest
  @CsvSource({
    "DELETE, 301, UNKNOWN",
    "DELETE, 302, UNKNOWN",
    "PATCH, 302, UNKNOWN",
    "POST, 302, UNKNOWN",
    "DELETE, 303, UNKNOWN",
    "DELETE, 307, FAILED",
    "DELETE, 308, FAILED"
  })
  void a404OfTheTargetTellsNothingOfTheRequestBefore(String method, int status, Effect effect)
      throws Exception {
    bench.server.enqueue(Reply.status(status).header("Location", "/elsewhere"), Reply.status(404));
    RetryingHttpClient client = client(Bench.plain().followRedirects(HttpClient.Redirect.NORMAL));
    HttpResponse<String> response = client.send(request(method), BodyHandlers.ofString());
    assertEquals(effect, JdkReports.of(response).effect(response.statusCode()));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void challengeThatIsAnsweredInVainIsPermanent(boolean answered) {
    // Three attempts of that would lock an account.
    bench.server.defaultReply(
        Reply.status(401).header("WWW-Authenticate", "Basic realm=\"things\""));
    Counting authenticator = new Counting(answered ? "wrong" : null);
    RetryingHttpClient client = client(Bench.plain().authenticator(authenticator));
    IOException thrown =
        assertThrows(
            IOException.class, () -> client.send(bench.put("data"), BodyHandlers.ofString()));
    assertEquals(StopReason.NOT_RETRYABLE, report(thrown).reason());
    assertEquals(Disposition.REFUSED, last(thrown).disposition());
    assertTrue(authenticator.asked.get() <= 4, authenticator.asked::toString);
  }

  private static final class Counting extends Authenticator {
    private final AtomicInteger asked = new AtomicInteger();
    private final String password;

    Counting(String password) {
      this.password = password;
    }

    @Override
    protected PasswordAuthentication getPasswordAuthentication() {
      asked.incrementAndGet();
      return password == null ? null : new PasswordAuthentication("me", password.toCharArray());
    }
  }

  private HttpRequest expecting() {
    return HttpRequest.newBuilder(bench.server.uri("/"))
        .expectContinue(true)
        .PUT(BodyPublishers.ofString("data"))
        .build();
  }

  @Test
  void expectationThatIsMetIsMetOnEveryAttempt() throws Exception {
    bench.server.enqueue(Reply.status(503));
    HttpResponse<String> response = bench.client().send(expecting(), BodyHandlers.ofString());
    assertEquals(2, JdkReports.of(response).attempts());
    assertTrue(
        bench.server.requests().stream()
            .allMatch(each -> each.header("Expect").orElse("").equalsIgnoreCase("100-continue")));
  }

  @Test
  void expectationThatFailsIsFinal() throws Exception {
    bench.server.defaultReply(Reply.status(417).onHead());
    HttpResponse<String> response = bench.client().send(expecting(), BodyHandlers.ofString());
    assertEquals(417, response.statusCode());
    assertEquals(StopReason.NOT_RETRYABLE, JdkReports.of(response).reason());
    assertEquals(1, bench.server.requests().size());
  }

  @Test
  void oneShotBodyThatWasNotAskedForIsSentAgain() throws Exception {
    // The server refuses by the head, so the body is still whole.
    bench.server.enqueue(Reply.status(503).onHead());
    HttpRequest request =
        HttpRequest.newBuilder(bench.server.uri("/"))
            .expectContinue(true)
            .PUT(BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(new byte[9])))
            .build();
    HttpResponse<String> response = bench.client().send(request, BodyHandlers.ofString());
    assertEquals(200, response.statusCode());
    assertEquals(2, JdkReports.of(response).attempts());
    assertEquals(9, bench.server.requests().get(1).body().length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 Stream not processed\r\n\r\n",
        "HTTP/1.1 Received RST_STREAM: Stream not processed\r\n\r\n",
        "HTTP/1.1 Stream not processed",
        "Stream not processed\r\n\r\n",
        "request not processed by peer\r\n\r\n",
        "request not processed by peer",
        "HTTP/1.1 200 OK\r\nStream not processed"
      })
  void nothingThatAServerWritesProvesThatItDidNothing(String head) {
    bench.server.enqueue(Reply.partialHead(head));
    IOException thrown =
        assertThrows(
            IOException.class,
            () -> bench.client().send(bench.post("order"), BodyHandlers.ofString()));
    assertEquals(1, bench.server.requests().size(), thrown.toString());
    boolean brokenProtocol = thrown instanceof java.net.ProtocolException;
    assertEquals(
        brokenProtocol ? StopReason.NOT_RETRYABLE : StopReason.NOT_REPLAYABLE,
        report(thrown).reason());
    assertEquals(Disposition.UNKNOWN, last(thrown).disposition());
  }

  @Test
  void anAnswer204WithABodyIsFinal() {
    bench.server.defaultReply(
        Reply.partialHead("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nno"));
    assertEquals(
        "unexpected content length header with 204 response", brokenProtocol().getMessage());
  }

  private IOException brokenProtocol() {
    HttpRequest put =
        HttpRequest.newBuilder(bench.server.uri("/")).PUT(BodyPublishers.ofString("x")).build();
    IOException thrown =
        assertThrows(IOException.class, () -> bench.client().send(put, BodyHandlers.ofString()));
    assertEquals(1, bench.server.requests().size(), thrown.toString());
    assertEquals(FailureKind.CONNECTION_LOST, last(thrown).kind().orElseThrow());
    assertEquals(StopReason.NOT_RETRYABLE, report(thrown).reason());
    assertTrue(report(thrown).serverMayHaveActed());
    return thrown;
  }

  // ---- proxies

  /** Nothing of the request went anywhere, so a POST without a key is tried again, too. */
  @Test
  void proxyThatMakesNoTunnelHasSeenNoRequest() {
    noTunnel(502, StopReason.ATTEMPTS_EXHAUSTED, 3);
  }

  @Test
  void proxyThatRefusesATunnelIsAskedOnce() {
    noTunnel(403, StopReason.NOT_RETRYABLE, 1);
  }

  private void noTunnel(int status, StopReason reason, int attempts) {
    bench.server.defaultReply(Reply.status(status));
    URI proxy = bench.server.uri("/");
    HttpClient client =
        client(
            HttpClient.newBuilder()
                .proxy(ProxySelector.of(new InetSocketAddress(proxy.getHost(), proxy.getPort()))));
    HttpRequest order =
        HttpRequest.newBuilder(URI.create("https://shop.invalid/order"))
            .POST(BodyPublishers.ofString("1"))
            .build();
    IOException thrown =
        assertThrows(IOException.class, () -> client.send(order, BodyHandlers.discarding()));
    assertEquals("Tunnel failed, got: " + status, thrown.getMessage());
    assertEquals(reason, report(thrown).reason());
    assertEquals(attempts, bench.server.requests().size());
    assertEquals(FailureKind.CONNECT, last(thrown).kind().orElseThrow());
    assertEquals(Disposition.UNSENT, last(thrown).disposition());
    assertFalse(report(thrown).serverMayHaveActed());
  }
}
