package dev.steadfast.retry.httpclient;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call on a thread of its own, so that the test can act while it is under way. */
record UnderWay<T>(Thread thread, CompletableFuture<HttpResponse<T>> end) implements AutoCloseable {

  static <T> UnderWay<T> call(
      Entry entry, HttpClient client, HttpRequest request, BodyHandler<T> handler) {
    CompletableFuture<HttpResponse<T>> end = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                end.complete(entry.call(client, request, handler));
              } catch (Throwable thrown) {
                end.completeExceptionally(thrown);
              }
            },
            "caller");
    thread.setDaemon(true);
    thread.start();
    return new UnderWay<>(thread, end);
  }

  /** Whether it has ended, or ends within a moment. */
  boolean doneSoon() throws InterruptedException {
    return doneSoon(end);
  }

  /** Whether a future is complete, or completes within a moment. */
  static boolean doneSoon(CompletableFuture<?> future) throws InterruptedException {
    try {
      future.get(200, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException underWay) {
      return false;
    } catch (ExecutionException failed) {
      return true;
    }
  }

  /** What the call returned or threw; fails if that does not come within 20 s. */
  HttpResponse<T> outcome() throws Throwable {
    try {
      return end.get(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException thrown) {
      throw thrown.getCause();
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
