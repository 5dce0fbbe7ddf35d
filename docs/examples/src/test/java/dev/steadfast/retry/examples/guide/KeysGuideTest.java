package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class KeysGuideTest {
  private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  /** Sends a payment, and again after a 503; returns what the first attempt carried. */
  private Received pay(HttpRetry retry, RetryOptions options) throws Exception {
    int before = server.requests().size();
    server.enqueue(Reply.status(503));
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/payments"))
            .header("X-Message-Id", "message-7")
            .header("X-Account", "7")
            .POST(BodyPublishers.ofString("a"))
            .build();
    RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry)
        .with(options)
        .send(request, BodyHandlers.ofString());
    List<Received> received = server.requests().subList(before, server.requests().size());
    assertEquals(2, received.size());
    return received.get(0);
  }

  private String key(String header, IdempotencyKeys keys) throws Exception {
    return pay(HttpRetry.builder().idempotencyKeys(keys).build(), RetryOptions.none())
        .header(header)
        .orElseThrow();
  }

  private String key(IdempotencyKeys keys) throws Exception {
    return key("Idempotency-Key", keys);
  }

  @Test
  void random_isAUuid() throws Exception {
    Received first = pay(KeysGuide.random(), RetryOptions.none());
    assertTrue(first.header("Idempotency-Key").orElseThrow().matches(UUID));
  }

  @Test
  void business_isComposed() throws Exception {
    assertEquals(
        "user-7:order-12345:payment",
        pay(HttpRetry.defaults(), KeysGuide.business("user-7", "order-12345"))
            .header("Idempotency-Key")
            .orElseThrow());
  }

  @Test
  void fromRequest_takesTheMessageId() throws Exception {
    assertEquals("message-7", key(KeysGuide.fromRequest()));
  }

  @Test
  void hashes_areEqualForEqualRequests() throws Exception {
    IdempotencyKeys[] hashes = KeysGuide.hashes();
    assertEquals(key(hashes[0]), key(hashes[0]));
    assertNotEquals(key(hashes[0]), key(hashes[1]));
  }

  @Test
  void forms_differByHeaderAndQuotes() throws Exception {
    IdempotencyKeys[] forms = KeysGuide.forms();
    assertTrue(key(forms[0]).matches(UUID));
    assertTrue(key(forms[1]).matches("\"" + UUID + "\""));
    assertTrue(key("PayPal-Request-Id", forms[2]).matches(UUID));
    assertTrue(key("X-Request-Key", forms[3]).matches(UUID));
  }

  @Test
  void otherMethods_getAKeyToo() throws Exception {
    IdempotencyKeys[] keys = KeysGuide.otherMethods();
    assertTrue(sent("PUT", keys[0]).header("Idempotency-Key").orElseThrow().matches(UUID));
    assertTrue(sent("GET", keys[0]).header("Idempotency-Key").orElseThrow().matches(UUID));
    assertTrue(sent("PUT", keys[1]).header("Idempotency-Key").isPresent());
    assertTrue(sent("GET", keys[1]).header("Idempotency-Key").isEmpty());
    assertTrue(sent("GET", keys[2]).header("x-goog-gcs-idempotency-token").isPresent());
  }

  private Received sent(String method, IdempotencyKeys keys) throws Exception {
    HttpRetry retry = HttpRetry.builder().idempotencyKeys(keys).build();
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/b/photos"))
            .method(method, BodyPublishers.noBody())
            .build();
    RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry)
        .send(request, BodyHandlers.discarding());
    return server.requests().get(server.requests().size() - 1);
  }

  @Test
  void oncePerOperation_isTheSameOnBothAttempts() throws Exception {
    Received first = pay(KeysGuide.oncePerOperation(), RetryOptions.none());
    assertTrue(first.header("Repeatability-First-Sent").orElseThrow().endsWith(" GMT"));
    assertEquals(
        first.header("Repeatability-First-Sent"),
        server.requests().get(1).header("Repeatability-First-Sent"));
  }
}
