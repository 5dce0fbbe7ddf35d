package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import io.micrometer.context.ContextRegistry;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class ConfigurationGuideTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  private int status(HttpRetry retry, String method) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/orders/7"))
            .method(method, BodyPublishers.noBody())
            .header("Idempotency-Key", "k")
            .build();
    return RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry)
        .send(request, BodyHandlers.ofString())
        .statusCode();
  }

  @Test
  void policy_isTheSameInCodeAndAsText() {
    assertEquals(ConfigurationGuide.policyInCode(), ConfigurationGuide.policyAsText());
  }

  @Test
  void backoffByKind_isTheSameInCodeAndAsText() {
    assertEquals(ConfigurationGuide.backoffByKind(), ConfigurationGuide.backoffByKindAsText());
  }

  @Test
  void rateLimits_followADelayThatTheDefaultsRefuse() {
    assertEquals(Duration.ofMinutes(2), ConfigurationGuide.rateLimits().policy().maxServerDelay());
  }

  @Test
  void changed_keepsEverythingElse() {
    HttpRetry retry = HttpRetry.builder().bufferBodiesUpTo(5).build();
    HttpRetry patient = ConfigurationGuide.changed(retry);
    assertEquals(Optional.of(Duration.ofMinutes(5)), patient.policy().totalTimeout());
    assertEquals(5, patient.bufferBodiesUpTo());
  }

  @Test
  void context_reachesTheRetriesOfAnAsynchronousCall() throws Exception {
    ContextKey<String> user = ContextKey.named("user");
    ThreadLocal<String> tenant = new ThreadLocal<>();
    ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", tenant);
    List<String> seen = new CopyOnWriteArrayList<>();
    RetryListener listener =
        new RetryListener() {
          @Override
          public void attemptStarted(OperationInfo operation, int attempt, Object request) {
            seen.add(attempt + " " + Context.current().get(user) + " of " + tenant.get());
          }
        };
    HttpRetry retry = ConfigurationGuide.context(listener);
    server.enqueue(Reply.status(503));
    tenant.set("acme");
    try (Scope scope = Context.current().with(user, "ann").makeCurrent()) {
      RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry)
          .sendAsync(
              HttpRequest.newBuilder(server.uri("/orders/7")).build(), BodyHandlers.ofString())
          .get(10, TimeUnit.SECONDS);
    } finally {
      ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
    }
    assertEquals(List.of("1 ann of acme", "2 ann of acme"), seen);
  }

  @Test
  void timeouts_areThoseOfTheText() {
    assertEquals(
        RetryPolicy.valueOf("totalTimeout=20s; attemptTimeout=5s; bodyIdleTimeout=15s"),
        ConfigurationGuide.timeouts());
  }

  @Test
  void ownBackoff_growsWithTheRetries() {
    Backoff backoff = ConfigurationGuide.ownBackoff();
    Random random = new Random(1);
    for (int retry = 1; retry < 100; retry++) {
      long nanos = backoff.delayNanos(retry, 0, random::nextLong);
      assertTrue(nanos >= 0 && nanos < retry * 50_000_000L, () -> "" + nanos);
    }
  }

  @Test
  void sharedBudget_isOne() {
    assertEquals(2, ConfigurationGuide.sharedBudget().length);
  }

  @Test
  void attemptHeader_isSentOnRetries() throws Exception {
    server.enqueue(Reply.status(503));
    assertEquals(200, status(ConfigurationGuide.attemptHeader(), "GET"));
    assertEquals("none", server.requests().get(0).header("X-Retry-Count").orElse("none"));
    assertEquals("1", server.requests().get(1).header("X-Retry-Count").orElse("none"));
  }

  @Test
  void rules_followTheServersHabits() throws Exception {
    HttpRetry retry = ConfigurationGuide.rules();
    server.enqueue(Reply.status(409), Reply.status(423));
    assertEquals(200, status(retry, "POST"));
    server.enqueue(Reply.status(500));
    assertEquals(500, status(retry, "GET"));
    server.enqueue(Reply.status(503).header("X-Do-Not-Retry", "true"));
    assertEquals(503, status(retry, "GET"));
    server.enqueue(Reply.status(429).header("x-envoy-ratelimited", "true"));
    assertEquals(429, status(retry, "GET"));
  }

  @Test
  void ownRules_retryALaggingReplica() throws Exception {
    HttpRetry retry = HttpRetry.builder().classifier(new ConfigurationGuide.ReplicaRules()).build();
    server.enqueue(Reply.status(404).header("X-Replica-Lag", "1"), Reply.status(503));
    assertEquals(200, status(retry, "GET"));
    server.enqueue(Reply.status(404));
    assertEquals(404, status(retry, "GET"));
  }

  @Test
  void listener_tellsOfEveryAttempt() throws Exception {
    server.enqueue(Reply.status(503));
    List<String> spans = new ArrayList<>();
    assertEquals(200, status(ConfigurationGuide.listening(new SpanPerAttempt(spans::add)), "GET"));
    String label = "GET " + server.uri("/orders/7");
    assertEquals(
        List.of(
            "start " + label + " resend_count=0",
            "end 503",
            "wait, because of backoff",
            "start " + label + " resend_count=1",
            "end 200",
            "2 attempts, accepted"),
        spans);
  }
}
