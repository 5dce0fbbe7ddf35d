package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.scenarios.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;

/** A server, virtual time, and clients for both. Waits between attempts take no time. */
final class Bench implements AutoCloseable {
  /** For what happens at once or never; a test that gets here has failed. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  final ScriptedServer server = ScriptedServer.start();
  final FakeTime time = new FakeTime();

  static HttpClient.Builder plain() {
    // HTTP/1.1, as the server knows nothing else and would see an upgrade header.
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
  }

  HttpRetry.Builder retry() {
    return HttpRetry.builder().environment(time.environment()).listener(time.skipWaits());
  }

  RetryingHttpClient client() {
    return client(retry());
  }

  RetryingHttpClient client(HttpRetry.Builder retry) {
    return RetryingHttpClient.wrap(plain().build(), retry.build());
  }

  HttpRequest get() {
    return HttpRequest.newBuilder(server.uri("/things")).build();
  }

  /** A request that may be sent again, and that the JDK does not resend by itself. */
  HttpRequest put(String body) {
    return HttpRequest.newBuilder(server.uri("/things")).PUT(BodyPublishers.ofString(body)).build();
  }

  /** A request that may be sent once. */
  HttpRequest post(String body) {
    return HttpRequest.newBuilder(server.uri("/things"))
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  @Override
  public void close() {
    server.close();
  }
}
