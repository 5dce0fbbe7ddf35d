package dev.steadfast.retry.examples.guide;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.SettableFuture;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Request;
import okhttp3.Response;
import reactor.core.publisher.Mono;

/** Snippets of the guide about Reactor and Guava. */
final class AsyncTypesGuide {
  private AsyncTypesGuide() {}

  static Mono<HttpResponse<String>> reactor(RetryingHttpClient client, HttpRequest request) {
    Mono<HttpResponse<String>> answer =
        Mono.fromFuture(() -> client.sendAsync(request, BodyHandlers.ofString()));
    return answer;
  }

  static Mono<String> body(Call.Factory client, Request request) {
    return Mono.create(sink -> {
      Call call = client.newCall(request);
      sink.onCancel(call::cancel);
      call.enqueue(
          new Callback() {
            @Override
            public void onResponse(Call answered, Response response) {
              try (response) {
                sink.success(response.body().string());
              } catch (IOException broken) {
                sink.error(broken);
              }
            }

            @Override
            public void onFailure(Call failed, IOException failure) {
              sink.error(failure);
            }
          });
    });
  }

  static <T> ListenableFuture<T> listenable(CompletableFuture<T> operation) {
    SettableFuture<T> future = SettableFuture.create();
    operation.whenComplete((result, failure) -> {
      if (failure == null) {
        future.set(result);
      } else {
        future.setException(failure);
      }
    });
    future.addListener(
        () -> {
          if (future.isCancelled()) {
            operation.cancel(true);
          }
        },
        MoreExecutors.directExecutor());
    return future;
  }
}
