package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What the guides show of tests. */
final class FakeTimeGuideTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final HttpRequest request = HttpRequest.newBuilder(server.uri("/orders")).build();

  @Test
  void waitsTakeNoTime() throws Exception {
    server.enqueue(Reply.status(503).header("Retry-After", "7"));
    // region fake-time-skip
    FakeTime time = new FakeTime();
    HttpRetry retry =
        HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
    HttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);

    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    assertEquals(Duration.ofSeconds(7), JdkReports.of(response).waited());
    // endregion
  }

  @Test
  void timeMovesByHand() throws Exception {
    Iterator<CompletableFuture<String>> outcomes =
        List.of(
                CompletableFuture.<String>failedFuture(new IOException("lost")),
                CompletableFuture.completedFuture("order 7"))
            .iterator();
    FakeTime time = new FakeTime();
    RetryPolicy policy =
        RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofSeconds(7))).build();
    Retrier retrier = Retrier.builder().environment(time.environment()).policy(policy).build();

    CompletableFuture<String> order = retrier.callAsync(outcomes::next); // fails, then succeeds
    time.advance(Duration.ofMillis(6_999));
    assertFalse(order.isDone());
    time.advance(Duration.ofMillis(1));
    assertEquals("order 7", order.join());
  }
}
