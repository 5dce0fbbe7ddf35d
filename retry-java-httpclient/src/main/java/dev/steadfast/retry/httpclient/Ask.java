package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.RequestView;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the caller asked for, and his request as the rules see it.
 *
 * @param request the request as he wrote it
 * @param body its body
 * @param handler makes the body of the response that he gets
 * @param pushes takes what the server pushes, null to refuse it
 */
record Ask<T>(
    HttpRequest request, RequestBody body, BodyHandler<T> handler, @Nullable Pushes<T> pushes)
    implements RequestView {
  @Override
  public String method() {
    return request.method();
  }

  @Override
  public URI uri() {
    return request.uri();
  }

  @Override
  public List<String> headers(String name) {
    return request.headers().allValues(name);
  }

  @Override
  public Optional<byte[]> body(int limit) {
    return body.bytes(limit);
  }
}
