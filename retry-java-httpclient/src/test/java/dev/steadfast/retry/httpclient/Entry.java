package dev.steadfast.retry.httpclient;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The ways into the client; a behaviour that holds for one holds for all. */
enum Entry {
  SEND {
    @Override
    <T> HttpResponse<T> call(HttpClient client, HttpRequest request, BodyHandler<T> handler)
        throws Throwable {
      return client.send(request, handler);
    }
  },
  SEND_ASYNC {
    @Override
    <T> HttpResponse<T> call(HttpClient client, HttpRequest request, BodyHandler<T> handler)
        throws Throwable {
      return outcome(client.sendAsync(request, handler));
    }
  },
  SEND_ASYNC_WITH_PUSHES {
    @Override
    <T> HttpResponse<T> call(HttpClient client, HttpRequest request, BodyHandler<T> handler)
        throws Throwable {
      return outcome(client.sendAsync(request, handler, (initiating, pushed, acceptor) -> {}));
    }
  };

  abstract <T> HttpResponse<T> call(HttpClient client, HttpRequest request, BodyHandler<T> handler)
      throws Throwable;

  /** What a future ends with, thrown as it is. */
  static <T> T outcome(CompletableFuture<T> future) throws Throwable {
    try {
      return future.get();
    } catch (ExecutionException wrapped) {
      throw wrapped.getCause();
    }
  }
}
