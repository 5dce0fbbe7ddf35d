package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.RequestView;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The caller's request as the rules see it.
 *
 * @param request the request as the caller wrote it
 * @param body its body
 */
record JdkRequest(HttpRequest request, RequestBody body) implements RequestView {
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
  public Optional<Set<String>> headerNames() {
    return Optional.of(request.headers().map().keySet());
  }

  @Override
  public Optional<byte[]> body(int limit) {
    return body.bytes(limit);
  }
}
