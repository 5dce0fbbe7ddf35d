package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.Authenticator;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The JDK's client does not show its requests. In most cases its contract says how many it sent.
 */
class KnownDeliveriesTest {
  private static final int UNKNOWN = -1;

  @RegisterExtension private final Bench bench = new Bench();

  private RetryingHttpClient around(HttpClient delegate) {
    return RetryingHttpClient.wrap(
        delegate, bench.retry().idempotencyKeys(IdempotencyKeys.randomUuid()).build());
  }

  private List<Integer> deliveries(HttpClient delegate, String method) throws Exception {
    bench.server.enqueue(Reply.status(429), Reply.status(200));
    HttpRequest request =
        HttpRequest.newBuilder(bench.server.uri("/a"))
            .method(method, BodyPublishers.ofString("5"))
            .build();
    return deliveries(JdkReports.of(around(delegate).send(request, BodyHandlers.discarding())));
  }

  private static List<Integer> deliveries(RetryReport report) {
    return report.attemptReports().stream()
        .map(each -> each.deliveries().orElse(UNKNOWN))
        .collect(Collectors.toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
  void anAnswerOfAClientThatSendsOnceIsThatOfOneRequest(String method) throws Exception {
    assertEquals(List.of(1, 1), deliveries(Bench.plain().build(), method));
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD"})
  void theClientSendsSomeAgainByItself(String method) throws Exception {
    assertEquals(List.of(UNKNOWN, UNKNOWN), deliveries(Bench.plain().build(), method));
  }

  static Stream<HttpClient> thatSendMore() {
    return Stream.of(
        Bench.plain().followRedirects(HttpClient.Redirect.NORMAL).build(),
        Bench.plain().authenticator(new Authenticator() {}).build(),
        new OwnDelegate(Bench.plain().build()));
  }

  @ParameterizedTest
  @MethodSource("thatSendMore")
  void othersMayHaveSentMore(HttpClient delegate) throws Exception {
    assertEquals(List.of(UNKNOWN, UNKNOWN), deliveries(delegate, "POST"));
  }

  @Test
  void aBodyThatBreaksCameFromOneRequest() throws Exception {
    bench.server.enqueue(Reply.truncatedBody(200, 100, "half"), Reply.status(200));
    assertEquals(
        List.of(1, 1),
        deliveries(
            JdkReports.of(
                around(Bench.plain().build()).send(bench.put("5"), BodyHandlers.ofString()))));
  }

  @Test
  void aLostAnswerTellsNothing() throws Exception {
    bench.server.enqueue(Reply.closeAfterRequest(), Reply.status(200));
    assertEquals(
        List.of(UNKNOWN, 1),
        deliveries(
            JdkReports.of(
                around(Bench.plain().build()).send(bench.put("5"), BodyHandlers.ofString()))));
  }

  @Test
  void whatWasNotSentIsNone() throws Exception {
    try (RefusedPort nobody = RefusedPort.open()) {
      HttpRequest request =
          HttpRequest.newBuilder(nobody.uri("/a")).POST(BodyPublishers.ofString("5")).build();
      IOException refused =
          assertThrows(
              IOException.class,
              () -> around(Bench.plain().build()).send(request, BodyHandlers.discarding()));
      assertEquals(List.of(0, 0, 0), deliveries(RetryReport.of(refused).orElseThrow()));
    }
  }
}
