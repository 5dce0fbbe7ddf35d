package dev.steadfast.retry.jmh;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/** The least that retries an enqueued call: one timer, no limits, no failure but a 503. */
final class HandWritten implements AutoCloseable {
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final long delayMillis;

  HandWritten(Duration delay) {
    this.delayMillis = delay.toMillis();
  }

  CompletableFuture<Integer> enqueue(OkHttpClient client, Request request) {
    CompletableFuture<Integer> result = new CompletableFuture<>();
    attempt(client, request, result);
    return result;
  }

  private void attempt(OkHttpClient client, Request request, CompletableFuture<Integer> result) {
    Async.enqueue(client.newCall(request))
        .whenComplete((status, failure) -> {
          if (failure != null) {
            result.completeExceptionally(failure);
          } else if (status == 503) {
            timer.schedule(
                () -> attempt(client, request, result), delayMillis, TimeUnit.MILLISECONDS);
          } else {
            result.complete(status);
          }
        });
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
