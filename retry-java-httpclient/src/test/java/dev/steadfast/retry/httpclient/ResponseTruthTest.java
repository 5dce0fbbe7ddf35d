package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a response tells of its operation, however little it took to get it. */
class ResponseTruthTest {
  private static final String HEADER = "Idempotency-Key";
  private static final Reply CREATED = Reply.status(201).body("created");

  @RegisterExtension private final Bench bench = new Bench();

  /** Where the key of a request comes from. */
  enum KeyOf {
    CONFIGURATION,
    OPTIONS,
    REQUEST
  }

  private HttpClient client(KeyOf source) {
    RetryingHttpClient minting =
        bench.client(bench.retry().idempotencyKeys(IdempotencyKeys.randomUuid()));
    return source == KeyOf.OPTIONS
        ? minting.with(RetryOptions.builder().idempotencyKey("order-1").build())
        : minting;
  }

  private HttpRequest post(KeyOf source) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(bench.server.uri("/pay")).POST(BodyPublishers.ofString("100"));
    return source == KeyOf.REQUEST ? request.header(HEADER, "mine").build() : request.build();
  }

  private List<Optional<String>> keys() {
    return bench.server.requests().stream().map((Received each) -> each.header(HEADER)).toList();
  }

  @ParameterizedTest
  @EnumSource
  void theReportOfACleanFirstAnswerHasKeyAndEffect(KeyOf source) throws Throwable {
    for (Entry entry : Entry.values()) {
      bench.server.enqueue(CREATED);
      HttpResponse<String> response =
          entry.call(client(source), post(source), BodyHandlers.ofString());

      RetryReport report = JdkReports.of(response);
      assertEquals(201, response.statusCode());
      assertTrue(report.serverMayHaveActed());
      assertTrue(report.idempotencyKey().isPresent());
      assertEquals(keys().get(keys().size() - 1), report.idempotencyKey());
      assertEquals(1, report.attempts());
    }
  }

  @ParameterizedTest
  @EnumSource
  void soHasOneWithoutAKey(Entry entry) throws Throwable {
    bench.server.enqueue(CREATED);
    HttpResponse<String> response =
        entry.call(bench.client(), post(KeyOf.CONFIGURATION), BodyHandlers.ofString());
    assertTrue(JdkReports.of(response).serverMayHaveActed());
    assertEquals(Optional.empty(), JdkReports.of(response).idempotencyKey());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void theNextRequestThatIsCopiedFromAResponseGetsAKeyOfItsOwn(int failures) throws Throwable {
    for (Entry entry : Entry.values()) {
      script(failures);
      HttpClient client = client(KeyOf.CONFIGURATION);
      HttpResponse<String> first =
          entry.call(client, post(KeyOf.CONFIGURATION), BodyHandlers.ofString());
      assertEquals(Optional.empty(), first.request().headers().firstValue(HEADER));

      HttpRequest next = HttpRequest.newBuilder(first.request(), (name, value) -> true).build();
      HttpResponse<String> second = entry.call(client, next, BodyHandlers.ofString());

      List<Optional<String>> keys = keys();
      Optional<String> ofFirst = keys.get(keys.size() - 2);
      Optional<String> ofSecond = keys.get(keys.size() - 1);
      assertTrue(ofSecond.isPresent());
      assertNotEquals(ofFirst, ofSecond);
      assertEquals(ofSecond, JdkReports.of(second).idempotencyKey());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void neitherDoesTheKeyOfOneViewGoToAnother(int failures) throws Throwable {
    for (Entry entry : Entry.values()) {
      script(failures);
      HttpResponse<String> first =
          entry.call(client(KeyOf.OPTIONS), post(KeyOf.OPTIONS), BodyHandlers.ofString());
      assertEquals(Optional.empty(), first.request().headers().firstValue(HEADER));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void theCallersOwnKeyStays(int failures) throws Throwable {
    for (Entry entry : Entry.values()) {
      script(failures);
      HttpResponse<String> response =
          entry.call(client(KeyOf.REQUEST), post(KeyOf.REQUEST), BodyHandlers.ofString());
      assertEquals(Optional.of("mine"), response.request().headers().firstValue(HEADER));
      assertEquals(Optional.of("mine"), JdkReports.of(response).idempotencyKey());
    }
  }

  /** The time that an attempt has is set on the request that the JDK sends, in real time only. */
  @ParameterizedTest
  @EnumSource
  void theTimeoutOfARedirectedRequestIsTheCallers(Entry entry) throws Throwable {
    HttpClient plain = Bench.plain().followRedirects(HttpClient.Redirect.NORMAL).build();
    HttpClient client = RetryingHttpClient.wrap(plain, HttpRetry.defaults());
    for (Optional<Duration> timeout :
        List.of(Optional.<Duration>empty(), Optional.of(Duration.ofHours(1)))) {
      bench.server.enqueue(Reply.status(302).header("Location", "/other"), CREATED);
      HttpRequest.Builder request = HttpRequest.newBuilder(bench.server.uri("/"));
      timeout.ifPresent(request::timeout);

      HttpRequest answered = entry.call(client, request.build(), BodyHandlers.ofString()).request();

      assertEquals(bench.server.uri("/other"), answered.uri());
      assertEquals(timeout, answered.timeout());
    }
  }

  private void script(int failures) {
    for (int i = 0; i < failures; i++) {
      bench.server.enqueue(Reply.status(503));
    }
    bench.server.enqueue(CREATED);
  }
}
