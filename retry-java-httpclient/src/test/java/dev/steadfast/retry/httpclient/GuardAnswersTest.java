package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.RecordingGuard;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a guard hears of attempts on a real connection: one answer per permit. */
class GuardAnswersTest {
  private final ScriptedServer server = ScriptedServer.start();

  private final RecordingGuard guard = new RecordingGuard();

  @AfterEach
  void close() {
    server.close();
  }

  private HttpClient client(int attempts) {
    return RetryingHttpClient.wrap(
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
        HttpRetry.builder()
            .policy(RetryPolicy.builder().maxAttempts(attempts).backoff(Backoff.none()).build())
            .guard(guard)
            .build());
  }

  // POST, as the client itself resends no POST.
  private HttpRequest request() {
    return HttpRequest.newBuilder(server.uri("/a"))
        .POST(HttpRequest.BodyPublishers.ofString("x"))
        .build();
  }

  @Test
  void answers_eachWithItsAttempt() throws Exception {
    server.enqueue(Reply.status(429), Reply.status(429), Reply.status(404), Reply.status(503));
    assertEquals(404, client(3).send(request(), BodyHandlers.ofString()).statusCode());
    assertEquals(503, client(3).send(request(), BodyHandlers.ofString()).statusCode());
    assertEquals(200, client(3).send(request(), BodyHandlers.ofString()).statusCode());
    assertEquals(
        List.of("succeeded", "succeeded", "succeeded", "failed", "succeeded"), guard.answers());
  }

  @Test
  void aConnectionThatBreaks_isAFailure_aBodyThatBreaksIsNot() {
    server.enqueue(Reply.resetAfterRequest(), Reply.truncatedBody(200, 100, "part"));
    assertThrows(IOException.class, () -> client(1).send(request(), BodyHandlers.ofString()));
    assertThrows(IOException.class, () -> client(1).send(request(), BodyHandlers.ofString()));
    assertEquals(List.of("failed", "succeeded"), guard.answers());
  }

  @Test
  void aCancelledAttemptIsReleased() throws Exception {
    server.enqueue(Reply.stallAfterRequest());
    CompletableFuture<HttpResponse<String>> call =
        client(3).sendAsync(request(), BodyHandlers.ofString());
    server.takeRequest(Duration.ofSeconds(10));
    assertTrue(call.cancel(true));
    assertEquals("released", guard.takeAnswer());
    assertEquals(List.of(), guard.answers());
  }
}
