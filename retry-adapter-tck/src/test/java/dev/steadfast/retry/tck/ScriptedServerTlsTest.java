package dev.steadfast.retry.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The faults that TLS could soften: they must reach the client as FIN, RST and silence. */
@Timeout(30)
class ScriptedServerTlsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String PASSWORD = "changeit";
  private static SSLContext context;

  @AutoClose private ScriptedServer server;

  @BeforeAll
  static void makeCertificate(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("server.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    String arguments =
        " -genkeypair -alias server -keyalg EC -dname CN=test -validity 2 -ext san=ip:127.0.0.1"
            + (" -storetype PKCS12 -storepass " + PASSWORD + " -keystore " + file);
    Process process =
        new ProcessBuilder((keytool + arguments).split(" "))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertEquals(0, process.waitFor());
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, PASSWORD.toCharArray());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("server", store.getCertificate("server"));
    trust.init(trusted);
    context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
  }

  @BeforeEach
  void start() {
    server = ScriptedServer.start(context);
  }

  @Test
  void answers_overOneConnection() throws Exception {
    HttpClient client = HttpClient.newBuilder().sslContext(context).build();
    HttpRequest request = HttpRequest.newBuilder(server.uri("/")).build();
    for (int i = 0; i < 2; i++) {
      assertEquals("ok", client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
    assertEquals(1, server.connectionsAccepted());
  }

  @Test
  void close_isOrderlyInBothVersions() throws Exception {
    server.defaultReply(Reply.closeAfterRequest());
    for (String version : new String[] {"TLSv1.2", "TLSv1.3"}) {
      try (RawClient client = connect(version)) {
        client.post("body").assertClosedWithoutByte();
        server.awaitNoOpenConnections(SOON);
      }
    }
    server.defaultReply(Reply.status(200).body("bye").thenClose());
    try (RawClient client = connect("TLSv1.3")) {
      assertTrue(client.get("/").readToEnd().endsWith("bye"));
    }
  }

  @Test
  void closeOnHead_isOrderlyToo() throws Exception {
    server.enqueue(Reply.closeOnHead());
    try (RawClient client = connect("TLSv1.3")) {
      client.postHead(10, "").assertClosedWithoutByte();
    }
    server.assertNoLeaks();
  }

  @Test
  void reset_isNotPrecededByCloseNotify() throws Exception {
    server.defaultReply(Reply.resetAfterRequest());
    for (String version : new String[] {"TLSv1.2", "TLSv1.3"}) {
      try (RawClient client = connect(version)) {
        client.post("body").assertReset();
      }
    }
  }

  @Test
  void silence_endsWithTheClientOrTheServer() throws Exception {
    server.enqueue(Reply.stallAfterRequest());
    try (RawClient client = connect("TLSv1.3")) {
      client.post("body").assertSilence();
    }
    server.assertNoLeaks();
    server.enqueue(Reply.status(200).delayUntil(new CountDownLatch(1)));
    try (RawClient client = connect("TLSv1.3")) {
      client.post("body");
      server.awaitRequests(2, SOON);
      server.close();
      assertThrows(IOException.class, () -> client.read(1));
    }
  }

  @Test
  void endlessBody_endsWithTheClient() throws Exception {
    server.enqueue(Reply.endlessBody(200));
    try (RawClient client = connect("TLSv1.3")) {
      client.get("/").read(500_000);
    }
    server.assertNoLeaks();
  }

  @Test
  void failedHandshake_isAConnectionWithoutRequests() throws Exception {
    HttpClient distrustful = HttpClient.newHttpClient();
    HttpRequest request = HttpRequest.newBuilder(server.uri("/")).build();
    assertThrows(
        SSLException.class,
        () -> distrustful.send(request, HttpResponse.BodyHandlers.discarding()));
    server.assertNoLeaks();
    assertEquals(0, server.requests().size());
  }

  private RawClient connect(String version) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(loopback, server.port());
    socket.setEnabledProtocols(new String[] {version});
    return new RawClient(socket);
  }
}
