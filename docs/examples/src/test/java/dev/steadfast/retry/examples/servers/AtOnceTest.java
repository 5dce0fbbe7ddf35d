package dev.steadfast.retry.examples.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Of equal requests at once, each kind of server carries one out. */
final class AtOnceTest {
  private static final int REQUESTS = 8;

  private final HttpClient http = HttpClient.newHttpClient();

  /** Sends the call several times at once; returns the statuses, sorted. */
  private List<Integer> statuses(Call call) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(call.uri())
            .timeout(Duration.ofSeconds(30))
            .method(call.method(), BodyPublishers.ofString(call.form()));
    call.headers().forEach(request::header);
    List<CompletableFuture<HttpResponse<String>>> answers =
        IntStream.range(0, REQUESTS)
            .mapToObj(i -> http.sendAsync(request.build(), BodyHandlers.ofString()))
            .toList();
    CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)).get(30, TimeUnit.SECONDS);
    return answers.stream().map(answer -> answer.join().statusCode()).sorted().toList();
  }

  /** The statuses if one request is answered in one way, and all others in another. */
  private static List<Integer> statuses(int one, int others) {
    IntStream rest = IntStream.generate(() -> others).limit(REQUESTS - 1);
    return IntStream.concat(IntStream.of(one), rest).sorted().boxed().toList();
  }

  private void assertOneIsCarriedOut(TestServer server, Call call, List<Integer> statuses)
      throws Exception {
    assertEquals(statuses, statuses(call));
    assertEquals(1, server.payments("i"));
  }

  @Test
  void duplicateFilter() throws Exception {
    try (TestServer server = TestServer.duplicateFilter()) {
      assertOneIsCarriedOut(server, server.payment("i"), statuses(201, 429));
    }
  }

  @Test
  void naturalKey() throws Exception {
    try (TestServer server = TestServer.naturalKey()) {
      assertOneIsCarriedOut(
          server, Call.put(server.uri("/orders/i"), "amount=100"), statuses(201, 200));
    }
  }

  @Test
  void oneTimeToken() throws Exception {
    try (TestServer server = TestServer.oneTimeToken()) {
      assertOneIsCarriedOut(
          server, server.payment("i").header("Payment-Token", token(server)), statuses(201, 410));
    }
  }

  private String token(TestServer server) {
    HttpRequest fetch =
        HttpRequest.newBuilder(server.uri("/tokens")).POST(BodyPublishers.noBody()).build();
    return http.sendAsync(fetch, BodyHandlers.discarding())
        .join()
        .headers()
        .firstValue("Payment-Token")
        .orElseThrow();
  }

  @Test
  void operationLog() throws Exception {
    try (TestServer server = TestServer.operationLog()) {
      assertOneIsCarriedOut(server, keyed(server), statuses(201, 201));
    }
  }

  @Test
  void conditionalInsert() throws Exception {
    try (TestServer server = TestServer.conditionalInsert()) {
      assertOneIsCarriedOut(server, keyed(server), statuses(201, 201));
    }
  }

  private static Call keyed(TestServer server) {
    return server.payment("i").header("Idempotency-Key", "k");
  }

  @Test
  void optimisticVersion() throws Exception {
    try (TestServer server = TestServer.optimisticVersion()) {
      Call write = Call.put(server.uri("/accounts/acme"), "amount=70").header("If-Match", "\"1\"");
      assertEquals(statuses(200, 412), statuses(write));
      assertEquals(2, server.number("select version from accounts"));
    }
  }

  /** Those that come while the key is locked get a 409, and those after it the stored answer. */
  @Test
  @EnabledIf("dev.steadfast.retry.examples.servers.RedisServer#installed")
  void redisLock() throws Exception {
    try (RedisServer redis = new RedisServer();
        TestServer server = TestServer.redisLock(redis)) {
      List<Integer> statuses = statuses(keyed(server));
      assertTrue(statuses.contains(201) && Set.of(201, 409).containsAll(statuses), "" + statuses);
      assertEquals(1, server.payments("i"));
    }
  }
}
