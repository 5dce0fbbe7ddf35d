package dev.steadfast.retry.httpclient;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A request that did not come from the JDK's builder, and was not checked by it. */
final class ForeignRequest extends HttpRequest {
  private final String method;
  private final URI uri;

  ForeignRequest(String method, URI uri) {
    this.method = method;
    this.uri = uri;
  }

  @Override
  public Optional<BodyPublisher> bodyPublisher() {
    return Optional.empty();
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public Optional<Duration> timeout() {
    return Optional.empty();
  }

  @Override
  public boolean expectContinue() {
    return false;
  }

  @Override
  public URI uri() {
    return uri;
  }

  @Override
  public Optional<HttpClient.Version> version() {
    return Optional.empty();
  }

  @Override
  public HttpHeaders headers() {
    return HttpHeaders.of(Map.of(), (name, value) -> true);
  }
}
