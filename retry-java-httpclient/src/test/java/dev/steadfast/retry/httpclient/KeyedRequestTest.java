package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Received;
import java.io.ByteArrayInputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The key of a view belongs to one request. */
class KeyedRequestTest {
  private static final String KEY = "order-12345-payment";

  @RegisterExtension private final Bench bench = new Bench();

  private static RetryOptions.Builder keyed(String key) {
    return RetryOptions.builder().idempotencyKey(key);
  }

  private RetryingHttpClient view() {
    return bench.client().with(keyed(KEY).build());
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(bench.server.uri(path));
  }

  private HttpRequest request(String method, String path, String body) {
    return to(path).method(method, BodyPublishers.ofString(body)).build();
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest request)
      throws Exception {
    return client.send(request, BodyHandlers.ofString());
  }

  private List<String> keys() {
    return bench.server.requests().stream()
        .map((Received each) -> each.header("Idempotency-Key").orElse("-"))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /pay?user=1, 101", // another body
    "POST, /pay?user=1, 1000",
    "POST, /pay?user=1, ''",
    "POST, /pay?user=2, 100",
    "POST, /refund?user=1, 100",
    "PUT, /pay?user=1, 100",
    "GET, /pay?user=1, ''"
  })
  void anotherRequestIsRefused(String method, String path, String body) throws Exception {
    RetryingHttpClient view = view();
    send(view, request("POST", "/pay?user=1", "100"));
    HttpRequest other = request(method, path, body);

    Exception refused = assertThrows(IllegalArgumentException.class, () -> send(view, other));

    String message = refused.getMessage();
    String origin = bench.server.uri("").toString();
    assertTrue(message.contains("given for POST " + origin + "/pay"), message);
    String second = method + " " + origin + path.replaceFirst("[?].*", "");
    assertTrue(message.contains("then sent with " + second), message);
    assertFalse(message.contains("user"), message);
    assertFalse(message.contains(KEY), message);
    assertEquals(List.of(KEY), keys());
  }

  @ParameterizedTest
  @EnumSource
  void refusedIsThrownWhateverTheEntry(Entry entry) throws Throwable {
    RetryingHttpClient view = view();
    entry.call(view, bench.post("a"), BodyHandlers.ofString());
    assertThrows(
        IllegalArgumentException.class,
        () -> entry.call(view, bench.post("b"), BodyHandlers.ofString()));
    assertThrows(
        IllegalArgumentException.class,
        () -> view.sendAsync(bench.post("b"), BodyHandlers.ofString()),
        "thrown, not put into the future");
  }

  @Test
  void theSameRequestMayBeSentAgain() throws Exception {
    RetryingHttpClient view = view();
    send(view, bench.post("100"));
    HttpRequest equal =
        to("/things").POST(BodyPublishers.ofString("100")).header("X-Try", "2").build();
    send(view, equal);
    assertEquals(List.of(KEY, KEY), keys());
    assertEquals("100", bench.server.requests().get(1).bodyText());
  }

  @Test
  void aBodyThatCanBeReadOnceIsNotRead() throws Exception {
    RetryingHttpClient view = view();
    send(view, to("/a").POST(oneShot("100")).build());
    send(view, to("/a").POST(oneShot("200")).build());
    assertThrows(
        IllegalArgumentException.class, () -> send(view, to("/b").POST(oneShot("100")).build()));
    assertEquals(
        List.of("100", "200"), bench.server.requests().stream().map(Received::bodyText).toList());
  }

  private static BodyPublisher oneShot(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes));
  }

  @Test
  void aViewOfTheSameKeyRemembersTheSameRequest() throws Exception {
    RetryingHttpClient view = view();
    send(view, bench.post("a"));
    RetryingHttpClient patient = view.with(keyed(KEY).noRetry().build());
    send(patient, bench.post("a"));
    assertThrows(IllegalArgumentException.class, () -> send(patient, bench.post("b")));
  }

  @Test
  void otherViewsDoNot() throws Exception {
    RetryingHttpClient view = view();
    send(view, bench.post("a"));
    send(view.with(keyed("order-2").build()), bench.post("b"));
    send(view(), bench.post("c"));
    assertEquals(List.of(KEY, "order-2", KEY), keys());
  }

  @Test
  void aKeyHeaderOfTheRequestItselfIsNotTheViews() throws Exception {
    RetryingHttpClient view = view();
    for (String key : List.of("mine-1", "mine-2")) {
      HttpRequest own =
          to("/a").POST(BodyPublishers.ofString(key)).header("Idempotency-Key", key).build();
      send(view, own);
    }
    send(view, bench.post("100"));
    assertEquals(List.of("mine-1", "mine-2", KEY), keys());
  }

  @Test
  void amongManyAtOnceOneRequestWins() throws Exception {
    RetryingHttpClient view = view();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<?>> sent = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      HttpRequest each = bench.post("body " + i);
      sent.add(threads.submit(() -> send(view, each)));
    }
    int refused = 0;
    for (Future<?> each : sent) {
      try {
        each.get();
      } catch (ExecutionException failed) {
        assertEquals(IllegalArgumentException.class, failed.getCause().getClass());
        refused++;
      }
    }
    threads.shutdown();
    assertEquals(39, refused);
    assertEquals(
        List.of(Optional.of(KEY)),
        bench.server.requests().stream().map(each -> each.header("Idempotency-Key")).toList());
  }
}
