package dev.steadfast.retry.effects;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** {@code java.net.http}, as the helpers need it. */
record JdkClient(RetryingHttpClient http) implements Client<HttpRequest> {

  @Override
  public String method(HttpRequest request) {
    return request.method();
  }

  @Override
  public @Nullable String header(HttpRequest request, String name) {
    return request.headers().firstValue(name).orElse(null);
  }

  @Override
  public HttpRequest withHeader(HttpRequest request, String name, String value) {
    return copy(request).setHeader(name, value).build();
  }

  @Override
  public HttpRequest put(HttpRequest request, byte[] body) {
    return copy(request).PUT(BodyPublishers.ofByteArray(body)).build();
  }

  private static HttpRequest.Builder copy(HttpRequest request) {
    return HttpRequest.newBuilder(request, (name, value) -> true);
  }

  @Override
  public RetryOptions options(HttpRequest request) {
    return http.options();
  }

  @Override
  public Reply send(HttpRequest request, RetryOptions options) throws InterruptedException {
    try {
      return reply(http.with(options).send(request, BodyHandlers.ofByteArray()));
    } catch (IOException failure) {
      return Reply.failed(failure);
    }
  }

  @Override
  public CompletableFuture<Reply> sendAsync(HttpRequest request, RetryOptions options) {
    return http.with(options)
        .sendAsync(request, BodyHandlers.ofByteArray())
        .handle(JdkClient::reply);
  }

  private static Reply reply(@Nullable HttpResponse<byte[]> response, @Nullable Throwable thrown) {
    if (response != null) {
      return reply(response);
    }
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    if (cause instanceof IOException failure) {
      return Reply.failed(failure);
    }
    throw new CompletionException(cause);
  }

  private static Reply reply(HttpResponse<byte[]> response) {
    Reply.Head head =
        new Reply.Head(response.statusCode(), response.headers().map(), redirected(response));
    return Reply.answered(head, response.body(), JdkReports.of(response));
  }

  private static boolean redirected(HttpResponse<?> response) {
    HttpResponse<?> next = response;
    for (HttpResponse<?> prior = prior(next); prior != null; prior = prior(next)) {
      if (Reply.redirected(prior.statusCode(), prior.request().method(), next.request().method())) {
        return true;
      }
      next = prior;
    }
    return false;
  }

  private static @Nullable HttpResponse<?> prior(HttpResponse<?> response) {
    return response.previousResponse().orElse(null);
  }
}
