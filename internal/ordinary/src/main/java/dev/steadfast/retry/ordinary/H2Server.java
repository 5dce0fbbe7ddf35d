package dev.steadfast.retry.ordinary;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import okhttp3.Protocol;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;

/** A MockWebServer that records: for HTTP/2 and web sockets. */
public final class H2Server implements Server {
  /** A request for it is answered when the program has ended. */
  public static final String SILENT = "/silent";

  private final CountDownLatch gate = new CountDownLatch(1);
  private final MockWebServer server = new MockWebServer();
  private final Queue<RecordedRequest> received = new ConcurrentLinkedQueue<>();
  private final boolean secure;

  private H2Server(boolean secure, Function<RecordedRequest, MockResponse> answer, Protocol... of) {
    this.secure = secure;
    server.setProtocols(Arrays.asList(of));
    if (secure) {
      server.useHttps(Tls.serverCertificates().sslSocketFactory(), false);
    }
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            received.add(request);
            if (SILENT.equals(request.getPath())) {
              awaitProgram();
            }
            return answer.apply(request);
          }
        });
    try {
      server.start(InetAddress.getLoopbackAddress(), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** HTTP/2 over TLS. */
  public static H2Server overTls(Function<RecordedRequest, MockResponse> answer) {
    return new H2Server(true, answer, Protocol.HTTP_2, Protocol.HTTP_1_1);
  }

  /** HTTP/2 without TLS, for clients that know. */
  public static H2Server priorKnowledge(Function<RecordedRequest, MockResponse> answer) {
    return new H2Server(false, answer, Protocol.H2_PRIOR_KNOWLEDGE);
  }

  /** HTTP/1.1, for web sockets. */
  public static H2Server http1(Function<RecordedRequest, MockResponse> answer) {
    return new H2Server(false, answer, Protocol.HTTP_1_1);
  }

  private void awaitProgram() {
    try {
      Run.await(gate);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until as many requests have arrived. */
  public void awaitRequests(int count) {
    long end = System.nanoTime() + Run.LIMIT_SECONDS * 1_000_000_000L;
    while (received.size() < count) {
      if (System.nanoTime() > end) {
        throw new AssertionError(received.size() + " requests instead of " + count);
      }
      LockSupport.parkNanos(100_000);
    }
  }

  /** An answer with a text. */
  public static MockResponse text(int status, String body) {
    return new MockResponse().setResponseCode(status).setBody(body);
  }

  @Override
  public URI uri(String path) {
    return URI.create((secure ? "https" : "http") + "://127.0.0.1:" + server.getPort() + path);
  }

  @Override
  public void settle() {
    gate.countDown(); // a request is recorded when all of it is there
  }

  @Override
  public void nameIn(Observation seen) {
    seen.name(":" + server.getPort(), ":PORT");
  }

  @Override
  public void report(Observation seen, boolean ordered) {
    int number = 0;
    for (RecordedRequest each : received) {
      String mark = ordered ? "#" + ++number + " " : "";
      seen.note("requests", mark + each.getRequestLine());
      each.getHeaders()
          .forEach(line -> seen.note("headers", mark + line.getFirst() + ": " + value(line)));
      seen.note("bodies", mark + Text.of(each.getBody().snapshot().toByteArray()));
    }
    if (ordered) {
      long connections = received.stream().filter(each -> each.getSequenceNumber() == 0).count();
      seen.note("connections", connections + " connections");
    } else {
      List.of("requests", "headers", "bodies").forEach(seen::sort);
    }
  }

  private static String value(kotlin.Pair<? extends String, ? extends String> line) {
    return line.getFirst().equals("Sec-WebSocket-Key") ? "(random)" : line.getSecond();
  }

  @Override
  public void close() {
    gate.countDown();
    try {
      server.shutdown();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
