package dev.steadfast.retry.httpclient;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;

/** A request with a timeout. Copying it by the JDK's builder would copy its headers, too. */
final class TimedRequest extends HttpRequest {
  private final HttpRequest request;
  private final Duration timeout;

  TimedRequest(HttpRequest request, Duration timeout) {
    this.request = request;
    this.timeout = timeout;
  }

  @Override
  public Optional<BodyPublisher> bodyPublisher() {
    return request.bodyPublisher();
  }

  @Override
  public String method() {
    return request.method();
  }

  @Override
  public Optional<Duration> timeout() {
    return Optional.of(timeout);
  }

  @Override
  public boolean expectContinue() {
    return request.expectContinue();
  }

  @Override
  public URI uri() {
    return request.uri();
  }

  @Override
  public Optional<HttpClient.Version> version() {
    return request.version();
  }

  @Override
  public HttpHeaders headers() {
    return request.headers();
  }

  @Override
  public String toString() {
    return request.toString();
  }
}
