package dev.steadfast.retry.ordinary.rows;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * A client as users write it: adds a token, and after a 401 gets a new one from {@code /token} and
 * sends the request again.
 */
final class TokenClient extends HttpClient {
  private final HttpClient http;
  private volatile String token;

  TokenClient(HttpClient http, String token) {
    this.http = http;
    this.token = token;
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    HttpResponse<T> response = http.send(with(request), handler);
    if (response.statusCode() != 401) {
      return response;
    }
    token = http.send(refresh(request), BodyHandlers.ofString()).body();
    return http.send(with(request), handler);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return sendAsync(request, handler, null);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
    return http.sendAsync(with(request), handler, pushes)
        .thenCompose(response -> {
          if (response.statusCode() != 401) {
            return CompletableFuture.completedFuture(response);
          }
          return http.sendAsync(refresh(request), BodyHandlers.ofString())
              .thenCompose(answer -> {
                token = answer.body();
                return http.sendAsync(with(request), handler, pushes);
              });
        });
  }

  private HttpRequest with(HttpRequest request) {
    return HttpRequest.newBuilder(request, (name, value) -> true)
        .setHeader("Authorization", "Bearer " + token)
        .build();
  }

  private static HttpRequest refresh(HttpRequest request) {
    return HttpRequest.newBuilder(request.uri().resolve("/token")).build();
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return http.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return http.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return http.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return http.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return http.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return http.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return http.authenticator();
  }

  @Override
  public Version version() {
    return http.version();
  }

  @Override
  public Optional<Executor> executor() {
    return http.executor();
  }
}
