package dev.steadfast.retry.apache5;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
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
