package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stream that is dropped before its end: the library holds no more of it than the plain client.
 */
class DroppedStreamTest {
  private static final Duration LONG = Duration.ofHours(1);

  @RegisterExtension private final Bench bench = new Bench();

  private HttpRetry withLimits() {
    RetryPolicy policy = RetryPolicy.builder().bodyIdleTimeout(LONG).build();
    return HttpRetry.builder().policy(policy).environment(bench.time.environment()).build();
  }

  private static void assertCollected(WeakReference<?> reference) {
    long patience = System.nanoTime() + Bench.PATIENCE.toNanos();
    while (reference.get() != null && System.nanoTime() < patience) {
      System.gc();
    }
    assertNull(reference.get());
  }

  /** The JDK's client ends its threads when it has been collected. */
  @ParameterizedTest
  @EnumSource
  void theClientUnderneathCanBeCollected(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.stalledBody(200, 1 << 20, "x"));
    assertCollected(clientOfDropped(entry, HttpRetry.defaults()));
  }

  @ParameterizedTest
  @EnumSource
  void theClientUnderneathCanBeCollectedBeforeTheLimitsOfTheStream(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.stalledBody(200, 1 << 20, "x"));
    assertCollected(clientOfDropped(entry, withLimits()));
  }

  private WeakReference<HttpClient> clientOfDropped(Entry entry, HttpRetry retry) throws Throwable {
    HttpClient plain = Bench.plain().build();
    HttpClient client = RetryingHttpClient.wrap(plain, retry);
    assertEquals(
        200, entry.call(client, bench.put("body"), BodyHandlers.ofInputStream()).statusCode());
    return new WeakReference<>(plain);
  }

  @Test
  void theTimerOfItsLimitsHoldsNothingAndEnds() throws Exception {
    WeakReference<Object> body = droppedBodyOfAClientThatHoldsNothing();
    assertTrue(bench.time.pending() > 0);
    assertCollected(body);
    bench.time.advance(Duration.ofSeconds(5));
    assertEquals(0, bench.time.pending());
  }

  @Test
  void theTimerOfItsLimitsEndsItWhileItIsHeld() throws Exception {
    RetryingHttpClient client = RetryingHttpClient.wrap(new Forgetful(), withLimits());
    RetryOptions minute = RetryOptions.builder().deadline(Duration.ofMinutes(1)).build();
    InputStream body = client.with(minute).send(bench.get(), BodyHandlers.ofInputStream()).body();
    bench.time.advance(Duration.ofSeconds(59));
    assertTrue(bench.time.pending() > 0);
    bench.time.advance(Duration.ofSeconds(1));
    assertEquals(0, bench.time.pending());
    assertThrows(IOException.class, body::read);
  }

  private WeakReference<Object> droppedBodyOfAClientThatHoldsNothing() throws Exception {
    RetryingHttpClient client = RetryingHttpClient.wrap(new Forgetful(), withLimits());
    RetryOptions options = RetryOptions.builder().deadline(LONG).build();
    HttpResponse<InputStream> response =
        client.with(options).send(bench.get(), BodyHandlers.ofInputStream());
    return new WeakReference<>(response.body());
  }

  /** Answers with a body of which nothing comes, and holds no part of it. */
  private static final class Forgetful extends DelegatingClient {
    Forgetful() {
      super(Bench.plain().build());
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler) {
      BodySubscriber<T> subscriber = handler.apply(new Head());
      subscriber.onSubscribe(new Silent());
      return new Answered<>(request, subscriber.getBody().toCompletableFuture().join());
    }
  }

  private static final class Silent implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }

  private static final class Head implements HttpResponse.ResponseInfo {
    @Override
    public int statusCode() {
      return 200;
    }

    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(Map.of(), (name, value) -> true);
    }

    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }

  private record Answered<T>(HttpRequest request, T body) implements HttpResponse<T> {
    @Override
    public int statusCode() {
      return 200;
    }

    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(Map.of(), (name, value) -> true);
    }

    @Override
    public Optional<HttpResponse<T>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public Optional<SSLSession> sslSession() {
      return Optional.empty();
    }

    @Override
    public URI uri() {
      return request.uri();
    }

    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }
}
