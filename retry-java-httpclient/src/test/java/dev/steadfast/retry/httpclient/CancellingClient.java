package dev.steadfast.retry.httpclient;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A client, beneath the one under test, that can cancel what it has under way. */
final class CancellingClient extends DelegatingClient {
  private final List<CompletableFuture<?>> underWay = new CopyOnWriteArrayList<>();

  CancellingClient(HttpClient delegate) {
    super(delegate);
  }

  void cancelAll() {
    underWay.forEach(each -> each.cancel(true));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushes) {
    CompletableFuture<HttpResponse<T>> sent = super.sendAsync(request, handler, pushes);
    underWay.add(sent);
    return sent;
  }
}
