package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryPolicy;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What the guides show of work that is not HTTP. */
final class RetrierGuide {
  private RetrierGuide() {}

  static String call(Callable<String> repository) throws Exception {
    // region retrier-call
    Retrier retrier =
        Retrier.builder()
            .name("orders-db")
            .policy(RetryPolicy.valueOf("maxAttempts=3; backoff=equal(10ms..1s); totalTimeout=5s"))
            .retryExceptions(failure -> failure instanceof IOException)
            .build();

    String order = retrier.call(repository);
    // endregion
    return order;
  }

  static CompletableFuture<String> callAsync(
      Retrier retrier, Supplier<CompletableFuture<String>> repository) {
    CompletableFuture<String> order = retrier.callAsync(repository);
    return order;
  }
}
