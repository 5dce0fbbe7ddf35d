package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server ends a connection in an orderly way while a request is on it, as nginx does after {@code
 * keepalive_requests}. Java 17 without a recent update fails that request, even if the frame says
 * that the server accepted it.
 */
@EnabledForJreRange(max = JRE.JAVA_17)
class GoawayTest {
  private static final byte[] UPGRADE =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
  // Length 8, type 7, stream 0; the last stream is 1, no error.
  private static final byte[] GOAWAY = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
  private static final byte[] OK =
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private final FakeTime time = new FakeTime();
  private final HttpRetry withoutBudget =
      HttpRetry.builder()
          .environment(time.environment())
          .listener(time.skipWaits())
          .budget(RetryBudget.successFunded(0, 0, 0))
          .build();
  private final RetryingHttpClient client =
      RetryingHttpClient.wrap(HttpClient.newHttpClient(), withoutBudget);
  private final ExecutorService serving = Executors.newSingleThreadExecutor();
  private ServerSocket server;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    serving.execute(this::goAwayThenAnswer);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
    serving.shutdownNow();
  }

  private void goAwayThenAnswer() {
    try {
      try (Socket first = server.accept()) {
        readHead(first);
        OutputStream out = first.getOutputStream();
        out.write(UPGRADE);
        out.write(SETTINGS);
        out.write(GOAWAY);
        out.flush();
        try (Socket second = server.accept()) {
          readHead(second);
          second.getOutputStream().write(OK);
        }
      }
    } catch (IOException closed) {
      // the test is over
    }
  }

  private static void readHead(Socket socket) throws IOException {
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    String line = in.readLine();
    while (line != null && !line.isEmpty()) {
      line = in.readLine();
    }
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/"));
  }

  @ParameterizedTest
  @EnumSource
  void anIdempotentRequestIsSentAgainAndCostsNoBudget(Entry entry) throws Throwable {
    HttpRequest delete = request().DELETE().build();

    HttpResponse<Void> response = entry.call(client, delete, BodyHandlers.discarding());

    assertEquals(200, response.statusCode());
    RetryReport report = JdkReports.of(response);
    assertEquals(FailureKind.GOAWAY, report.attemptReports().get(0).kind().orElseThrow());
    assertEquals(Disposition.UNKNOWN, report.attemptReports().get(0).disposition());
  }

  @Test
  void aPostWithoutAKeyMayHaveBeenProcessed() {
    HttpRequest post = request().POST(BodyPublishers.ofString("order")).build();

    IOException thrown =
        assertThrows(IOException.class, () -> client.send(post, BodyHandlers.discarding()));

    assertEquals(StopReason.NOT_REPLAYABLE, RetryReport.of(thrown).orElseThrow().reason());
  }
}
