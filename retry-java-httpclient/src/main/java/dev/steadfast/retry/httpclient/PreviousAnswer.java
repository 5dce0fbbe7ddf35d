package dev.steadfast.retry.httpclient;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;

/**
 * An answer that another attempt follows, kept until that has sent the request body. If the body
 * cannot be read again, the caller gets this answer. Immutable.
 */
final class PreviousAnswer<T> {
  private final HttpResponse<T> response; // as the client gave it, without its body
  private final byte[] body;

  PreviousAnswer(HttpResponse<T> response, byte[] body) {
    this.response = response;
    this.body = body;
  }

  /** The answer with its body, which goes through the caller's handler now. */
  HttpResponse<T> handledBy(BodyHandler<T> handler) throws IOException {
    return StoredResponse.of(response, body, handler);
  }
}
