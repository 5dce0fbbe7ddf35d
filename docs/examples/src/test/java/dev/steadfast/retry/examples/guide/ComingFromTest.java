package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;

/** What the page says of both sides, at a server that counts. */
final class ComingFromTest {
  private static final String BODY = "{\"cents\": 1999}";

  private final ScriptedServer server = ScriptedServer.start();
  private final HttpRequest jdkRequest =
      HttpRequest.newBuilder(server.uri("/payments")).POST(BodyPublishers.ofString(BODY)).build();
  private final Request okHttpRequest =
      new Request.Builder()
          .url(HttpUrl.get(server.uri("/payments")))
          .post(RequestBody.create(BODY, null))
          .build();

  @AfterEach
  void close() {
    server.close();
  }

  /** A POST, as each side makes it; returns the status. */
  private List<Callable<Integer>> before() {
    return List.of(
        () -> spring(url -> ComingFrom.springBefore(url, BODY)),
        () -> ComingFrom.resilience4jBefore(jdkRequest).statusCode(),
        () -> status(ComingFrom.interceptorBefore(okHttpRequest)));
  }

  private List<Callable<Integer>> after(HttpRetry retry) {
    return List.of(
        () -> spring(url -> ComingFrom.springAfter(url, BODY, retry)),
        () -> ComingFrom.resilience4jAfter(jdkRequest, retry).statusCode(),
        () -> status(ComingFrom.interceptorAfter(okHttpRequest, retry)));
  }

  private int spring(Function<String, String> call) {
    return call.apply(server.uri("").toString()) == null ? 204 : 200;
  }

  private static int status(okhttp3.Call call) throws Exception {
    try (Response response = call.execute()) {
      return response.code();
    }
  }

  private List<String> keys() {
    return server.requests().stream()
        .map((Received each) -> each.header("Idempotency-Key").orElse("none"))
        .toList();
  }

  @Test
  void before_aPostIsSentAgainWithoutAKey() throws Exception {
    for (Callable<Integer> call : before()) {
      server.enqueue(Reply.status(503), Reply.status(503));
      assertEquals(200, call.call());
    }
    assertEquals(List.of("none"), keys().stream().distinct().toList());
    assertEquals(9, keys().size());
  }

  @Test
  void after_aPostIsSentAgainUnderOneKey() throws Exception {
    for (Callable<Integer> call : after(ComingFrom.retry())) {
      server.enqueue(Reply.status(503), Reply.status(503));
      assertEquals(200, call.call());
    }
    assertEquals(9, keys().size());
    assertEquals(3, keys().stream().distinct().count());
  }

  @Test
  void after_withoutKeys_aPostIsSentOnceIfTheAnswerIsLost() {
    server.defaultReply(Reply.closeAfterRequest());
    for (Callable<Integer> call : after(HttpRetry.defaults())) {
      assertThrows(Exception.class, call::call);
    }
    assertEquals(List.of("none", "none", "none"), keys());
  }

  @Test
  void before_429IsNotRetried() throws Exception {
    server.defaultReply(Reply.status(429).header("Retry-After", "0"));
    List<Callable<Integer>> calls = before();
    assertThrows(HttpClientErrorException.TooManyRequests.class, calls.get(0)::call);
    assertEquals(429, calls.get(1).call());
    assertEquals(429, calls.get(2).call());
    assertEquals(3, keys().size());
  }

  @Test
  void after_429IsRetried() throws Exception {
    for (Callable<Integer> call : after(HttpRetry.defaults())) {
      server.enqueue(Reply.status(429).header("Retry-After", "0"));
      assertEquals(200, call.call());
    }
    assertEquals(6, keys().size());
  }

  @Test
  void theLastFailureStaysWhatItWas() {
    server.defaultReply(Reply.status(503));
    assertThrows(
        HttpServerErrorException.class,
        () -> ComingFrom.springBefore(server.uri("").toString(), BODY));
    assertThrows(
        HttpServerErrorException.class,
        () -> ComingFrom.springAfter(server.uri("").toString(), BODY, ComingFrom.retry()));
    assertEquals(6, keys().size());
  }
}
