package dev.steadfast.retry.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;

/** Futures of OkHttp's enqueued calls. */
final class Async {
  private Async() {}

  /** Completes with the status, after the body was read. */
  static CompletableFuture<Integer> enqueue(Call call) {
    CompletableFuture<Integer> status = new CompletableFuture<>();
    call.enqueue(
        new Callback() {
          @Override
          public void onResponse(Call call, Response response) {
            status.complete(read(response));
          }

          @Override
          public void onFailure(Call call, IOException failure) {
            status.completeExceptionally(failure);
          }
        });
    return status;
  }

  /** Reads the body and returns the status. */
  static int read(Response response) {
    try (response) {
      response.body().bytes();
      return response.code();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
