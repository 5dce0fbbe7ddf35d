package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.RateLimiter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Ten calls at once to a server that allows one per second; its second takes 100 ms here. */
class RateLimitTest {
  @Test
  void allCallsGetThroughOneAfterAnother() throws Exception {
    try (ScriptedServer server = ScriptedServer.start()) {
      server.route(new RateLimiter(Duration.ofMillis(100)));
      HttpClient client =
          RetryingHttpClient.wrap(
              Bench.plain().build(), HttpRetry.followingRateLimits(Duration.ofMinutes(2)).build());
      HttpRequest post =
          HttpRequest.newBuilder(server.uri("/orders"))
              .POST(BodyPublishers.ofString("order"))
              .build();

      List<CompletableFuture<HttpResponse<Void>>> calls = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        calls.add(client.sendAsync(post, BodyHandlers.discarding()));
      }

      for (CompletableFuture<HttpResponse<Void>> call : calls) {
        assertEquals(200, call.get(60, TimeUnit.SECONDS).statusCode());
      }
    }
  }
}
