package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RequestView;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;

/** A request that a journal kept. */
final class JournaledRequest {
  private JournaledRequest() {}

  /**
   * Makes the request again.
   *
   * @throws IllegalArgumentException if its body is not kept, or the client does not take it
   */
  static HttpRequest of(Journaling.Kept due) {
    RequestView kept = due.request();
    byte[] bytes = due.body();
    HttpRequest.Builder request = HttpRequest.newBuilder(kept.uri()); // a GET without a body
    if (bytes.length > 0 || !kept.method().equals("GET")) {
      request.method(kept.method(), body(bytes));
    }
    due.headers().forEach((name, lines) -> lines.forEach(line -> request.header(name, line)));
    return request.build();
  }

  private static BodyPublisher body(byte[] bytes) {
    return bytes.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(bytes);
  }
}
