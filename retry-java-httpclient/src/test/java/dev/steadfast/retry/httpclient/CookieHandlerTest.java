package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.RefusedPort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A cookie handler gets the head of an answer before anybody else, and may throw any exception. */
class CookieHandlerTest {
  @RegisterExtension private final Bench bench = new Bench();

  /** Keeps cookies at a place that cannot be reached. */
  private static final class Failing extends CookieHandler {
    private final IOException failure;

    Failing(IOException failure) {
      this.failure = failure;
    }

    @Override
    public Map<String, List<String>> get(URI uri, Map<String, List<String>> headers) {
      return Map.of();
    }

    @Override
    public void put(URI uri, Map<String, List<String>> headers) throws IOException {
      throw failure;
    }
  }

  private RetryingHttpClient client(CookieHandler cookies) {
    return RetryingHttpClient.wrap(
        Bench.plain().cookieHandler(cookies).build(), bench.retry().build());
  }

  private static HttpRequest post(URI uri, BodyPublisher body) {
    return HttpRequest.newBuilder(uri).POST(body).build();
  }

  static Stream<Arguments> failures() {
    return Arrays.stream(Entry.values())
        .flatMap(entry ->
            Stream.of(
                    new ConnectException("Connection refused"),
                    new SSLHandshakeException("Remote host terminated the handshake"),
                    new IOException("request not processed by peer"),
                    new IOException("closed"))
                .map(failure -> Arguments.of(entry, failure)));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void itsFailureDoesNotProveThatNothingWasSent(Entry entry, IOException failure) {
    RetryingHttpClient client = client(new Failing(failure));
    for (BodyPublisher body : List.of(BodyPublishers.noBody(), BodyPublishers.ofString("5"))) {
      HttpRequest request = post(bench.server.uri("/charges"), body);
      IOException thrown =
          assertThrows(
              IOException.class, () -> entry.call(client, request, BodyHandlers.ofString()));
      RetryReport report = RetryReport.of(thrown).orElseThrow();
      assertEquals(1, report.attempts(), report::toString);
      assertTrue(report.outcomeUnknown());
    }
  }

  /** The JDK's own throws nothing of that kind. A body that was not asked for still proves it. */
  @ParameterizedTest
  @CsvSource({"true, '', 3", "true, 5, 3", "false, '', 1", "false, 5, 3"})
  void aRefusedConnectionProvesItWhereTheHandlerSawNoHead(boolean jdks, String body, int attempts) {
    try (RefusedPort nobody = RefusedPort.open()) {
      CookieHandler cookies = jdks ? new CookieManager() : new Failing(new IOException());
      HttpRequest request = post(nobody.uri("/charges"), BodyPublishers.ofString(body));
      ConnectException thrown =
          assertThrows(
              ConnectException.class, () -> client(cookies).send(request, BodyHandlers.ofString()));
      RetryReport report = RetryReport.of(thrown).orElseThrow();
      assertEquals(attempts, report.attempts());
      assertEquals(attempts == 1, report.serverMayHaveActed());
      assertEquals(FailureKind.CONNECT, report.last().orElseThrow().kind().orElseThrow());
      assertEquals(
          attempts == 1 ? StopReason.NOT_REPLAYABLE : StopReason.ATTEMPTS_EXHAUSTED,
          report.reason());
    }
  }
}
