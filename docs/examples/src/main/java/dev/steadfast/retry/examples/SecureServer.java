package dev.steadfast.retry.examples;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;

/**
 * HTTP/2 over TLS on loopback: OkHttp's test server, which can refuse a stream before it reads the
 * request. It does so with its first streams, and so each payment that is to meet this fault has a
 * server of its own.
 */
final class SecureServer implements AutoCloseable {
  private static final int REFUSED_STREAM = 7; // RFC 9113 section 7
  private static final int TO_REFUSE = 2;
  private static final Logger CHATTER = Logger.getLogger(MockWebServer.class.getName());

  private final MockWebServer server = new MockWebServer();

  SecureServer(Cashier cashier, Certificate certificate) throws IOException {
    CHATTER.setLevel(Level.OFF);
    server.useHttps(certificate.server().sslSocketFactory());
    server.setDispatcher(new RefuseFirst(cashier));
    server.start(InetAddress.getLoopbackAddress(), 0);
  }

  URI address() {
    return URI.create("https://localhost:" + server.getPort());
  }

  /** The first streams are refused, the others go to the cashier. */
  private static final class RefuseFirst extends Dispatcher {
    private final Cashier cashier;
    private final AtomicInteger refused = new AtomicInteger();

    RefuseFirst(Cashier cashier) {
      this.cashier = cashier;
    }

    // Asked at several points of a connection; only the one at the start of a stream has an effect.
    @Override
    public MockResponse peek() {
      MockResponse.Builder response = new MockResponse.Builder();
      return refused.get() < TO_REFUSE
          ? response.onRequestStart(new SocketEffect.CloseStream(REFUSED_STREAM)).build()
          : response.build();
    }

    @Override
    public MockResponse dispatch(RecordedRequest request) {
      if ("POST".equals(request.getMethod())) {
        return response(cashier.serve(order(request)));
      }
      refused.incrementAndGet(); // a refused stream is dispatched too, as a GET of nothing
      cashier.refusedStream();
      return new MockResponse.Builder().build();
    }
  }

  private static Order order(RecordedRequest request) {
    Map<String, String> headers = new HashMap<>();
    request
        .getHeaders()
        .forEach(
            header -> headers.put(header.getFirst().toLowerCase(Locale.ROOT), header.getSecond()));
    return new Order(request.getTarget(), headers, request.getBody().utf8());
  }

  private static MockResponse response(Reply reply) {
    MockResponse.Builder response =
        new MockResponse.Builder()
            .code(reply.status())
            .body(reply.body())
            .headersDelay(reply.delay().toMillis(), TimeUnit.MILLISECONDS);
    reply.headers().forEach(response::setHeader);
    return response.build();
  }

  @Override
  public void close() {
    server.close();
  }
}
