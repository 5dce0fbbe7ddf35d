package dev.steadfast.retry.examples.deadpath;

import dev.steadfast.retry.tck.internal.SwallowingProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** A server of HTTP/2 over TLS, behind a proxy that can swallow the bytes of its connections. */
final class SilentPath implements AutoCloseable {
  private static final HeldCertificate CERTIFICATE =
      new HeldCertificate.Builder()
          .commonName("localhost")
          .addSubjectAlternativeName("localhost")
          .build();
  private static final Logger CHATTER = Logger.getLogger("okhttp3.OkHttpClient");

  static final HandshakeCertificates TRUSTED =
      new HandshakeCertificates.Builder().addTrustedCertificate(CERTIFICATE.certificate()).build();

  private final CountDownLatch over = new CountDownLatch(1);
  private final MockWebServer server = new MockWebServer();
  private volatile boolean stalls;
  final SwallowingProxy proxy;

  SilentPath() throws IOException {
    CHATTER.setLevel(Level.OFF);
    HandshakeCertificates own =
        new HandshakeCertificates.Builder().heldCertificate(CERTIFICATE).build();
    server.useHttps(own.sslSocketFactory());
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
            if (stalls) {
              over.await();
            }
            return new MockResponse.Builder().body("served").build();
          }
        });
    server.start(InetAddress.getLoopbackAddress(), 0);
    proxy = SwallowingProxy.before(server.getPort());
  }

  /** The server answers nobody any more. */
  void stall() {
    stalls = true;
  }

  String url() {
    return "https://localhost:" + proxy.port() + "/";
  }

  @Override
  public void close() {
    over.countDown();
    proxy.close();
    server.close();
  }
}
