package dev.steadfast.retry.httpclient;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.util.concurrent.CompletableFuture;

/** A client as a user might write one to watch requests. */
final class OwnDelegate extends DelegatingClient {
  private final Runnable beforeEach;

  OwnDelegate(HttpClient delegate) {
    this(delegate, () -> {});
  }

  /** Does something on the thread that sends. */
  OwnDelegate(HttpClient delegate, Runnable beforeEach) {
    super(delegate);
    this.beforeEach = beforeEach;
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    beforeEach.run();
    return super.send(request, handler);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    beforeEach.run();
    return super.sendAsync(request, handler);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushes) {
    beforeEach.run();
    return super.sendAsync(request, handler, pushes);
  }
}
