package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.scenarios.Received;
import dev.steadfast.retry.scenarios.Reply;
import dev.steadfast.retry.scenarios.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetryingHttpClientTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final FakeTime time = new FakeTime();
  private final HttpClient plain =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @AfterEach
  void close() {
    server.close();
  }

  private RetryingHttpClient client() {
    return RetryingHttpClient.wrap(
        plain,
        HttpRetry.builder()
            .environment(time.environment())
            .listener(time.skipWaits())
            .idempotencyKeys(IdempotencyKeys.randomUuid())
            .build());
  }

  @Test
  void sendRetriesWithOneKey() throws Exception {
    server.enqueue(Reply.status(503).header("Retry-After", "7"), Reply.status(503));
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/a")).POST(BodyPublishers.ofString("hello")).build();

    HttpResponse<String> response = client().send(request, BodyHandlers.ofString());

    assertEquals(200, response.statusCode());
    assertEquals("ok", response.body());
    List<Received> requests = server.requests();
    assertEquals(3, requests.size());
    assertEquals(
        1, requests.stream().map(each -> each.header("Idempotency-Key")).distinct().count());
    assertTrue(requests.get(0).header("Idempotency-Key").isPresent());
    assertTrue(requests.stream().allMatch(each -> each.bodyText().equals("hello")));
    assertTrue(RetryReport.of(response).waited().compareTo(Duration.ofSeconds(7)) >= 0);
  }

  @Test
  void sendAsyncGivesTheLastResponse() {
    server.defaultReply(Reply.status(503).body("sorry"));
    HttpRequest request = HttpRequest.newBuilder(server.uri("/a")).build();

    HttpResponse<String> response = client().sendAsync(request, BodyHandlers.ofString()).join();

    assertEquals(503, response.statusCode());
    assertEquals("sorry", response.body());
    assertEquals(3, server.requests().size());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, RetryReport.of(response).reason());
  }
}
