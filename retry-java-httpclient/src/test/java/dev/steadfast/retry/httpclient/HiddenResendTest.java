package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.RefusedPort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a connect failure proves of a request that the JDK may have sent before by itself. */
class HiddenResendTest {
  private static final RetryOptions ONCE = RetryOptions.builder().replayable(false).build();

  @RegisterExtension private final Bench bench = new Bench();

  private static HttpRequest request(String method, URI uri) {
    return HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody()).build();
  }

  /**
   * The server takes the request, closes the connection and stops. The JDK sends the request again
   * and finds no server. It reports only that no connection was made.
   */
  @ParameterizedTest
  @CsvSource({"GET, SEND", "GET, SEND_ASYNC", "HEAD, SEND", "HEAD, SEND_ASYNC"})
  void aRequestThatTheServerTookIsNotSentAgain(String method, Entry entry) {
    bench.server.whenRequest(request -> bench.server.close());
    HttpClient client = bench.client().with(ONCE);

    ConnectException thrown =
        assertThrows(
            ConnectException.class,
            () ->
                entry.call(
                    client, request(method, bench.server.uri("/effect")), BodyHandlers.ofString()));

    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(1, bench.server.requests().size());
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason(), report::toString);
    assertEquals(1, report.attempts());
    assertTrue(report.serverMayHaveActed());
  }

  /** Other methods are not sent again beneath us, so a refused connection proves it for them. */
  @ParameterizedTest
  @CsvSource({"GET, 1, true", "HEAD, 1, true", "POST, 3, false", "PUT, 3, false"})
  void aRefusedConnectionProvesItForMethodsThatTheJdkDoesNotResend(
      String method, int attempts, boolean mayHaveActed) {
    try (RefusedPort nobody = RefusedPort.open()) {
      HttpClient client = bench.client().with(ONCE);
      HttpRequest request = request(method, nobody.uri("/effect"));

      ConnectException thrown =
          assertThrows(ConnectException.class, () -> client.send(request, BodyHandlers.ofString()));

      RetryReport report = RetryReport.of(thrown).orElseThrow();
      assertEquals(attempts, report.attempts());
      assertEquals(mayHaveActed, report.serverMayHaveActed());
    }
  }

  /** The place that the request body comes from. The JDK would take its failure for its own. */
  @ParameterizedTest
  @EnumSource
  void aBodyWhoseSourceCannotBeReachedIsSentOnce(Entry entry) throws Exception {
    ConnectException unreachable = new ConnectException("Connection refused");
    AtomicInteger passes = new AtomicInteger();
    BodyPublisher body =
        BodyPublishers.fromPublisher(receiver -> {
          passes.incrementAndGet();
          receiver.onSubscribe(
              new Flow.Subscription() {
                private final AtomicBoolean begun = new AtomicBoolean();

                @Override
                public void request(long n) {
                  if (begun.compareAndSet(false, true)) {
                    receiver.onNext(ByteBuffer.wrap(new byte[] {'5'}));
                    receiver.onError(unreachable);
                  }
                }

                @Override
                public void cancel() {}
              });
        });
    HttpRequest request = HttpRequest.newBuilder(bench.server.uri("/effect")).POST(body).build();

    IOException thrown =
        assertThrows(
            IOException.class,
            () -> entry.call(bench.client(), request, BodyHandlers.discarding()));

    RetryReport report = RetryReport.of(thrown).orElseThrow();
    // The server accepts in order: when it has answered another client, it has counted all before.
    HttpRequest last = HttpRequest.newBuilder(bench.server.uri("/last")).build();
    assertEquals(
        200, HttpClient.newHttpClient().send(last, BodyHandlers.discarding()).statusCode());
    assertEquals(
        "1 pass, 1 connection",
        passes + " pass, " + (bench.server.connectionsAccepted() - 1) + " connection");
    assertEquals(1, report.attempts());
    assertEquals(StopReason.USER_CODE_FAILED, report.reason());
    assertTrue(report.outcomeUnknown());
    boolean told = false;
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      told |= unreachable.equals(each);
    }
    assertTrue(told, thrown::toString);
  }
}
