package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.scenarios.Received;
import dev.steadfast.retry.scenarios.RefusedPort;
import dev.steadfast.retry.scenarios.Reply;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client of the user's own making is trusted to send what it is given, as the JDK's own is. */
class OwnDelegateTest {
  private final Bench bench = new Bench();

  @AfterEach
  void close() {
    bench.close();
  }

  private RetryingHttpClient client() {
    return RetryingHttpClient.wrap(new OwnDelegate(Bench.plain().build()), bench.retry().build());
  }

  private HttpClient keyed() {
    return client().with(RetryOptions.builder().idempotencyKey("order-1").build());
  }

  @ParameterizedTest
  @EnumSource
  void aPostWithAKeyIsRetried(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.closeAfterRequest(), Reply.status(503));

    HttpResponse<String> response = entry.call(keyed(), bench.post("100"), BodyHandlers.ofString());

    assertEquals(200, response.statusCode());
    assertEquals(3, JdkReports.of(response).attempts());
    List<Received> requests = bench.server.requests();
    assertEquals(List.of("100", "100", "100"), requests.stream().map(Received::bodyText).toList());
    assertEquals(
        List.of(Optional.of("order-1"), Optional.of("order-1"), Optional.of("order-1")),
        requests.stream().map(each -> each.header("Idempotency-Key")).toList());
  }

  @ParameterizedTest
  @EnumSource
  void aPostWithoutAKeyIsNot(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503));
    HttpResponse<String> busy = entry.call(client(), bench.post("100"), BodyHandlers.ofString());
    assertEquals(StopReason.NOT_REPLAYABLE, JdkReports.of(busy).reason());

    bench.server.enqueue(Reply.closeAfterRequest());
    IOException lost =
        assertThrows(
            IOException.class,
            () -> entry.call(client(), bench.post("100"), BodyHandlers.ofString()));
    assertEquals(StopReason.NOT_REPLAYABLE, RetryReport.of(lost).orElseThrow().reason());

    assertEquals(2, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionThatWasRefusedProvesThatNothingWasSent(Entry entry) {
    try (RefusedPort nobody = RefusedPort.open()) {
      HttpRequest request =
          HttpRequest.newBuilder(nobody.uri("/pay")).POST(BodyPublishers.ofString("100")).build();
      ConnectException thrown =
          assertThrows(
              ConnectException.class, () -> entry.call(client(), request, BodyHandlers.ofString()));
      assertEquals(3, RetryReport.of(thrown).orElseThrow().attempts());
    }
  }
}
