package dev.steadfast.retry.tck;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** java.net.http in few words. */
final class JdkClient {
  private JdkClient() {}

  static HttpClient create() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  static HttpRequest get(URI uri) {
    return HttpRequest.newBuilder(uri).build();
  }

  /** For faults: this client resends a failed GET by itself, but not a POST. */
  static HttpRequest post(URI uri) {
    return HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString("body")).build();
  }

  /** Sends over a connection of its own. */
  static HttpResponse<String> send(HttpRequest request) throws Exception {
    return create().send(request, HttpResponse.BodyHandlers.ofString());
  }
}
