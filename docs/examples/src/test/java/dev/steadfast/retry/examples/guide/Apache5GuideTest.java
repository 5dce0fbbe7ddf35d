package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.util.List;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpPut;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The snippets on Apache HttpClient 5, and what the pages say of both sides. */
final class Apache5GuideTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final HttpRetry keyed =
      HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid()).build();

  private List<String> keys() {
    return server.requests().stream()
        .map(each -> each.header("Idempotency-Key").orElse("none"))
        .toList();
  }

  private HttpUriRequestBase post() {
    return with(new HttpPost(server.uri("/payments")));
  }

  private static HttpUriRequestBase with(HttpUriRequestBase request) {
    request.setEntity(new StringEntity("{}"));
    return request;
  }

  private static int status(CloseableHttpClient http, HttpUriRequestBase request)
      throws IOException {
    return http.execute(request, response -> response.getCode());
  }

  @Test
  void theSnippetsWork() throws IOException {
    server.enqueue(Reply.status(503), Reply.status(201));
    String said = Apache5Guide.send(server.uri("/payments"));
    assertTrue(said.startsWith("201, 2 attempts"), said);
    try (CloseableHttpClient http = Apache5Guide.after(HttpRetry.defaults())) {
      server.enqueue(Reply.status(503), Reply.status(201));
      assertEquals(201, Apache5Guide.options(http, post()));
      assertEquals(List.of("order-12345-payment", "order-12345-payment"), keys().subList(2, 4));
      server.enqueue(Reply.status(503), Reply.status(200));
      assertEquals(2, attempts(http, server.uri("/a")));
      try (RefusedPort nobody = RefusedPort.open()) {
        assertEquals(3, attempts(http, nobody.uri("/a")));
      }
    }
  }

  private static int attempts(CloseableHttpClient http, URI uri) {
    return Apache5Guide.report(http, new HttpGet(uri)).orElseThrow().attempts();
  }

  @Test
  void before_aPostIsSentAgainAfterA503_withoutAKey() throws IOException {
    server.defaultReply(Reply.status(503).header("Retry-After", "0"));
    try (CloseableHttpClient http = Apache5Guide.before()) {
      assertEquals(503, status(http, post()));
    }
    assertEquals(List.of("none", "none", "none"), keys());
  }

  @Test
  void after_aPostIsSentAgainUnderOneKey_orNotAtAll() throws IOException {
    server.defaultReply(Reply.status(503));
    try (CloseableHttpClient http = Apache5Guide.after(keyed)) {
      assertEquals(503, status(http, post()));
    }
    assertEquals(3, keys().size());
    assertEquals(1, keys().stream().distinct().count());
    try (CloseableHttpClient http = Apache5Guide.after(HttpRetry.defaults())) {
      assertEquals(503, status(http, post()));
    }
    assertEquals(4, keys().size());
  }

  @Test
  void aPutWhoseAnswerIsAlwaysLost_isSentThreeTimesByBoth() throws IOException {
    server.defaultReply(Reply.closeAfterRequest());
    try (CloseableHttpClient before = Apache5Guide.before();
        CloseableHttpClient after = Apache5Guide.after(HttpRetry.defaults())) {
      HttpPut put = new HttpPut(server.uri("/a"));
      assertThrows(IOException.class, () -> status(before, with(put)));
      assertEquals(3, keys().size());
      assertThrows(IOException.class, () -> status(after, with(put)));
      assertEquals(6, keys().size());
    }
  }

  @Test
  void beforeARefusedConnectionEndsTheCall_andAfterThreeAttempts() throws IOException {
    try (CloseableHttpClient before = Apache5Guide.before();
        CloseableHttpClient after = Apache5Guide.after(HttpRetry.defaults());
        RefusedPort nobody = RefusedPort.open()) {
      assertThrows(ConnectException.class, () -> status(before, new HttpGet(nobody.uri("/a"))));
      assertEquals(3, attempts(after, nobody.uri("/a")));
    }
  }
}
