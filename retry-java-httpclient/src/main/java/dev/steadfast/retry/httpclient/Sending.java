package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryLoop;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** An operation under way, and how its caller waits for it. */
record Sending<T>(RetryLoop<Answer<T>> loop, CompletableFuture<HttpResponse<T>> future) {

  /** What the future ends with. */
  private record Outcome<T>(@Nullable HttpResponse<T> response, @Nullable Throwable failure) {}

  /** Waits on the calling thread. */
  HttpResponse<T> await() throws IOException, InterruptedException {
    CompletableFuture<Outcome<T>> outcome = future.handle(Outcome::new);
    try {
      return result(outcome.get());
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    } catch (InterruptedException interrupted) {
      loop.interrupt();
      return afterInterrupt(outcome.join());
    }
  }

  // The response may have won the race: then the caller gets it, and the interrupt after it.
  private HttpResponse<T> afterInterrupt(Outcome<T> outcome)
      throws IOException, InterruptedException {
    if (outcome.response() != null) {
      Thread.currentThread().interrupt();
    }
    return result(outcome);
  }

  private static <T> HttpResponse<T> result(Outcome<T> outcome)
      throws IOException, InterruptedException {
    HttpResponse<T> response = outcome.response();
    if (response != null) {
      return response;
    }
    Throwable failure = outcome.failure();
    if (failure instanceof IOException broken) {
      throw broken;
    }
    if (failure instanceof InterruptedException interrupted) {
      throw interrupted;
    }
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    throw new IOException(failure);
  }
}
