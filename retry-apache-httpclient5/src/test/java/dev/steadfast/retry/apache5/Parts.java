package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.pool.ConnPoolControl;

/** Helpers that the tests of this module share. */
final class Parts {
  private static final int LEASE_SECONDS = Integer.getInteger("apache5.leaseSeconds", 0);

  private Parts() {}

  /** Three attempts without waits, and no budget. */
  static HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .policy(
            RetryPolicy.builder()
                .maxAttempts(3)
                .backoff(Backoff.fixed(Duration.ofMillis(1)))
                .build())
        .budget(RetryBudget.unlimited());
  }

  static HttpRetry keyed() {
    return retry().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
  }

  static HttpPost post(URI uri) {
    HttpPost post = new HttpPost(uri);
    post.setEntity(new StringEntity("100"));
    return post;
  }

  static String text(ClassicHttpResponse response) throws IOException {
    try {
      return response.getEntity() == null ? "" : EntityUtils.toString(response.getEntity());
    } catch (ParseException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  /** Three requests of seven meet a fault. */
  static void sometimesFailing(ScriptedServer server) {
    AtomicInteger count = new AtomicInteger();
    server.route(request ->
        switch (count.incrementAndGet() % 7) {
          case 1 -> Reply.status(503).body("busy");
          case 3 -> Reply.closeAfterRequest();
          case 5 -> Reply.truncatedBody(503, 50, "half");
          default -> Reply.status(200).body("ok");
        });
  }

  /** Each thread tells how many of its calls have succeeded; some have. */
  static void onSixteenThreads(Callable<Integer> calls) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try {
      int succeeded = 0;
      for (Future<Integer> each : threads.invokeAll(Collections.nCopies(16, calls))) {
        succeeded += each.get();
      }
      assertTrue(succeeded > 0);
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Says whether a thread makes a further call: 25 each, or in {@code -Dapache5.leaseSeconds=60} as
   * many as there is time for.
   */
  static boolean goesOn(int calls, long startNanos) {
    return LEASE_SECONDS == 0
        ? calls < 25
        : System.nanoTime() - startNanos < Duration.ofSeconds(LEASE_SECONDS).toNanos();
  }

  /** Waits a little for what the thread of a connection releases. */
  static void awaitNoLease(ConnPoolControl<HttpRoute> pool) {
    long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    while (pool.getTotalStats().getLeased() > 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}
