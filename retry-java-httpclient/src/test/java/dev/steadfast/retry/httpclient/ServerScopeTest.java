package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Propagation;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A service between a client above and a server below, on each server: what the client says reaches
 * the calls to the server, and what they learn reaches the client.
 */
class ServerScopeTest {
  @RegisterExtension private final Bench bench = new Bench();
  private final HttpClient plain = Bench.plain().build();
  private final AtomicInteger handled = new AtomicInteger();
  private final List<Duration> remaining = new CopyOnWriteArrayList<>(); // when it was called

  private ScopeOptions options() {
    return ScopeOptions.builder().environment(bench.time.environment()).build();
  }

  private Front.Running forwarding(Front front) throws Exception {
    RetryingHttpClient below = bench.client();
    return front.start(
        options(),
        headers -> {
          handled.incrementAndGet();
          RetryScope.current().orElseThrow().remaining().ifPresent(remaining::add);
          return below.send(bench.get(), BodyHandlers.discarding()).statusCode();
        });
  }

  /** Derives the keys of its calls from those of its callers. */
  private Front.Running reserving(Front front) throws Exception {
    RetryingHttpClient below =
        bench
            .client(bench.retry().idempotencyKeys(IdempotencyKeys.randomUuid()))
            .with(RetryOptions.builder().derivedKey("reserve").build());
    return front.start(
        options(), headers -> below.send(bench.post("1"), BodyHandlers.discarding()).statusCode());
  }

  private List<String> keysBelow() {
    return bench.server.requests().stream()
        .map(each -> each.header("Idempotency-Key").orElseThrow())
        .toList();
  }

  private HttpResponse<Void> send(HttpRequest.Builder request) throws Exception {
    return plain.send(request.build(), BodyHandlers.discarding());
  }

  private static Optional<String> signal(HttpResponse<?> response) {
    return response.headers().firstValue("x-should-retry");
  }

  private static Reply[] unavailable(int times) {
    Reply[] replies = new Reply[times];
    Arrays.setAll(replies, each -> Reply.status(503));
    return replies;
  }

  @ParameterizedTest
  @EnumSource
  void doNotRetry_isObeyedBelow_andLeavesRetryingToTheCaller(Front front) throws Exception {
    bench.server.enqueue(unavailable(1));
    try (Front.Running service = forwarding(front)) {
      HttpResponse<Void> response = send(service.request().header("Do-Not-Retry", "true"));

      assertEquals(503, response.statusCode());
      assertEquals(1, bench.server.requests().size());
      assertEquals(Optional.empty(), signal(response));
    }
  }

  @ParameterizedTest
  @EnumSource
  void timeThatIsLeft_endsTheCallsBelow(Front front) throws Exception {
    bench.server.enqueue(Reply.status(503).header("Retry-After", "7"));
    try (Front.Running service = forwarding(front)) {
      HttpResponse<Void> response = send(service.request().header("grpc-timeout", "5S"));

      assertEquals(503, response.statusCode());
      assertEquals(List.of(Duration.ofSeconds(5)), remaining);
      assertEquals(1, bench.server.requests().size());
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatGaveUpHere_isNotRetriedAbove(Front front) throws Exception {
    bench.server.enqueue(unavailable(9));
    RetryingHttpClient above = bench.client();
    try (Front.Running service = forwarding(front)) {
      HttpResponse<Void> response =
          above.send(service.request().build(), BodyHandlers.discarding());

      assertEquals(503, response.statusCode());
      assertEquals(Optional.of("false"), signal(response));
      assertEquals(StopReason.DO_NOT_RETRY, JdkReports.of(response).reason());
      assertEquals(1, handled.get());
      assertEquals(3, bench.server.requests().size());
    }
  }

  @ParameterizedTest
  @EnumSource
  void oneOwnerAbove_retriesAlone(Front front) throws Exception {
    bench.server.enqueue(unavailable(9));
    try (Front.Running service = forwarding(front)) {
      HttpRequest request = service.request().build();
      String origin = "http://" + request.uri().getAuthority();
      RetryingHttpClient above =
          bench.client(bench.retry().propagation(Propagation.to(origin).owningRetries()));

      HttpResponse<Void> response = above.send(request, BodyHandlers.discarding());

      assertEquals(503, response.statusCode());
      assertEquals(StopReason.ATTEMPTS_EXHAUSTED, JdkReports.of(response).reason());
      assertEquals(3, handled.get());
      assertEquals(3, bench.server.requests().size());
    }
  }

  @ParameterizedTest
  @EnumSource
  void answerThatIsNoFailure_saysNothing(Front front) throws Exception {
    bench.server.enqueue(unavailable(3));
    RetryingHttpClient below = bench.client();
    try (Front.Running service =
        front.start(
            options(),
            headers -> {
              below.send(bench.get(), BodyHandlers.discarding());
              assertTrue(RetryScope.current().orElseThrow().gaveUp());
              return 200; // from its cache, say
            })) {
      HttpResponse<Void> response = send(service.request());

      assertEquals(200, response.statusCode());
      assertEquals(Optional.empty(), signal(response));
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatTheHandlerSaysItself_stays(Front front) throws Exception {
    bench.server.enqueue(unavailable(3));
    RetryingHttpClient below = bench.client();
    try (Front.Running service =
        front.start(
            options(),
            headers -> {
              headers.accept("X-Should-Retry", "true");
              return below.send(bench.get(), BodyHandlers.discarding()).statusCode();
            })) {
      assertEquals(List.of("true"), send(service.request()).headers().allValues("x-should-retry"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingStaysOnAThread_whateverTheHandlerDid(Front front) throws Exception {
    Set<Thread> told = new HashSet<>();
    Set<Thread> both = new HashSet<>();
    try (Front.Running service =
        front.start(
            options(),
            headers -> {
              if (RetryScope.current().orElseThrow().doNotRetry()) {
                told.add(Thread.currentThread());
                throw new IllegalStateException("on purpose");
              }
              if (told.contains(Thread.currentThread())) {
                both.add(Thread.currentThread());
              }
              return 204;
            })) {
      for (int round = 0; both.isEmpty() && round < 500; round++) {
        try {
          send(service.request().header("Do-Not-Retry", "true"));
        } catch (IOException hungUp) {
          // what the JDK's server makes of an exception
        }
        assertEquals(204, send(service.request()).statusCode());
      }
      assertFalse(both.isEmpty(), "no thread handled two requests");
      assertEquals(List.of(), service.leaks);
    }
  }

  /** Proxies repeat lines, and the last one may be the strict one. */
  @ParameterizedTest
  @EnumSource
  void headersOnSeveralLines_areReadStrictly(Front front) throws Exception {
    bench.server.defaultReply(Reply.status(503));
    try (Front.Running service = forwarding(front)) {
      send(
          service
              .request()
              .header("Do-Not-Retry", "false")
              .header("Do-Not-Retry", "true")
              .header("grpc-timeout", "9S")
              .header("grpc-timeout", "5S"));
    }
    assertEquals(1, bench.server.requests().size());
    assertEquals(List.of(Duration.ofSeconds(5)), remaining);
  }

  /** A user may send one key to two operations. */
  @ParameterizedTest
  @EnumSource
  void keysBelow_areApartForEachOperation(Front front) throws Exception {
    try (Front.Running service = reserving(front)) {
      URI uri = service.request().build().uri();
      for (String path : List.of("/orders", "/orders?again", "/refunds")) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri.resolve(path));
        send(
            request
                .POST(BodyPublishers.noBody())
                .header("X-User", "alice")
                .header("Idempotency-Key", "k"));
      }
    }
    List<String> keys = keysBelow();
    assertEquals(keys.get(0), keys.get(1));
    assertNotEquals(keys.get(0), keys.get(2));
  }

  @ParameterizedTest
  @EnumSource
  void keysBelow_deriveFromTheCallersKey_apartForEachPrincipal(Front front) throws Exception {
    try (Front.Running service = reserving(front)) {
      for (String user : List.of("alice", "alice", "bob")) {
        HttpRequest.Builder request = service.request().POST(BodyPublishers.noBody());
        send(request.header("X-User", user).header("Idempotency-Key", "order-1"));
      }
      for (int i = 0; i < 2; i++) {
        HttpRequest.Builder nobody = service.request().POST(BodyPublishers.noBody());
        send(nobody.header("Idempotency-Key", "order-1"));
      }
    }

    List<String> keys = keysBelow();
    assertEquals(keys.get(0), keys.get(1));
    assertEquals(4, Set.copyOf(keys).size(), keys::toString);
    assertNotEquals("order-1", keys.get(0));
    assertEquals(64, keys.get(0).length()); // SHA-256 in hexadecimal
    assertEquals(36, keys.get(3).length()); // a random one
  }
}
