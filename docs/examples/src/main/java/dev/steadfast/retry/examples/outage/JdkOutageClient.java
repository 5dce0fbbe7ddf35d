package dev.steadfast.retry.examples.outage;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** java.net.http, with futures. */
final class JdkOutageClient implements OutageClient {
  /** Nothing blocks them, so a few will do for any load. */
  private static final int THREADS = 4;

  private final RetryingHttpClient http;
  private final HttpRequest request;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, JdkOutageClient::daemon);

  JdkOutageClient(URI address, HttpRetry retry) {
    HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(threads).build();
    http = RetryingHttpClient.wrap(client, retry);
    request = HttpRequest.newBuilder(address).build();
  }

  @Override
  public CompletableFuture<Boolean> call() {
    return http.sendAsync(request, BodyHandlers.discarding())
        .handle((response, failure) -> failure == null && response.statusCode() == 200);
  }

  @Override
  public void close() {
    http.shutdown();
    threads.shutdown();
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "jdk-client");
    thread.setDaemon(true);
    return thread;
  }
}
