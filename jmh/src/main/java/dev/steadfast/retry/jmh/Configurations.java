package dev.steadfast.retry.jmh;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.resilience4j.Resilience4jGuards;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Response;

/** How the clients are set up, this library's and the peers'. */
final class Configurations {
  private Configurations() {}

  static HttpRetry keyed() {
    return HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
  }

  static HttpRetry guarded() {
    return HttpRetry.builder()
        .budget(RetryBudget.perOrigin(0.1))
        .guard(Resilience4jGuards.circuitBreaker(CircuitBreakerConfig.ofDefaults()))
        .guard(Resilience4jGuards.bulkhead(BulkheadConfig.ofDefaults()))
        .build();
  }

  /** Waits so long before its one retry, whatever the load. */
  static HttpRetry waiting(Duration wait) {
    return HttpRetry.builder()
        .policy(RetryPolicy.builder().noTotalTimeout().backoff(Backoff.fixed(wait)).build())
        .budget(RetryBudget.unlimited())
        .build();
  }

  static FailsafeExecutor<Response> failsafe(Duration wait) {
    return Failsafe.with(failsafePolicy(wait));
  }

  static FailsafeExecutor<Response> failsafe(Duration wait, ScheduledExecutorService scheduler) {
    return failsafe(wait).with(scheduler);
  }

  private static dev.failsafe.RetryPolicy<Response> failsafePolicy(Duration wait) {
    return dev.failsafe.RetryPolicy.<Response>builder()
        .handleResultIf(response -> response != null && response.code() == 503)
        .withDelay(wait)
        .withMaxAttempts(3)
        .build();
  }

  /** A client with a pool and a dispatcher of its own, with OkHttp's five calls per host. */
  static OkHttpClient okHttp() {
    return new OkHttpClient.Builder()
        .connectionPool(new ConnectionPool())
        .dispatcher(new Dispatcher())
        .build();
  }

  static void close(OkHttpClient client) {
    client.dispatcher().executorService().shutdownNow();
    client.connectionPool().evictAll();
  }
}
