package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client of the user's own making is trusted to send what it is given, as the JDK's own is. */
class OwnDelegateTest {
  @RegisterExtension private final Bench bench = new Bench();

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

  // ---- what such a client must not do, or may

  /** The JDK's own client throws such an exception before it sends. */
  @ParameterizedTest
  @EnumSource
  void anExceptionOfItsOwnMayComeAfterTheRequestWasSent(Entry entry) throws Exception {
    HttpClient plain = Bench.plain().build();
    OwnDelegate measuring =
        new OwnDelegate(
            plain,
            () -> {
              try {
                plain.send(bench.post("100"), BodyHandlers.discarding());
              } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
              }
              throw new IllegalStateException("no place for the figures");
            });
    List<RetryReport> reports = new CopyOnWriteArrayList<>();
    RetryListener listener =
        new RetryListener() {
          @Override
          public void ended(OperationInfo operation, RetryReport report) {
            reports.add(report);
          }
        };
    HttpClient client =
        RetryingHttpClient.wrap(measuring, bench.retry().listener(listener).build());

    assertThrows(
        Exception.class, () -> entry.call(client, bench.post("100"), BodyHandlers.ofString()));

    assertEquals(1, bench.server.requests().size());
    assertEquals(1, reports.size());
    assertTrue(reports.get(0).serverMayHaveActed(), reports.toString());
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
