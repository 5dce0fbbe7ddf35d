package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.HttpOperation;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The caller's request as one attempt sends it. A view, because a copy by the JDK's builder sorts
 * the headers twice more. The headers are put together when they are asked for, because some are
 * made only after listeners have got the request.
 */
final class SentRequest extends HttpRequest {
  private final HttpRequest request;
  private final Map<String, String> added;
  private final Optional<BodyPublisher> body;
  private final Optional<Duration> timeout;
  private volatile @Nullable HttpHeaders headers; // null: not asked for yet

  private SentRequest(
      HttpRequest request,
      Map<String, String> added,
      Optional<BodyPublisher> body,
      Optional<Duration> timeout) {
    this.request = request;
    this.added = added;
    this.body = body;
    this.timeout = timeout;
  }

  /**
   * The request with headers, which take the place of its own of the same name, and with a body.
   */
  static HttpRequest of(
      HttpRequest request, Map<String, String> headers, Optional<BodyPublisher> body) {
    return new SentRequest(request, headers, body, request.timeout());
  }

  /** The same request with headers that were made when the attempt had begun. */
  static HttpRequest late(HttpRequest request, Map<String, String> headers) {
    if (headers.isEmpty()) {
      return request;
    }
    if (!(request instanceof SentRequest early)) {
      return of(request, headers, request.bodyPublisher());
    }
    Map<String, String> all = new LinkedHashMap<>(early.added);
    all.putAll(headers);
    return new SentRequest(early.request, all, early.body, early.timeout);
  }

  static HttpRequest timed(HttpRequest request, Optional<Duration> timeout) {
    return request instanceof SentRequest own
        ? new SentRequest(own.request, own.added, own.body, timeout)
        : new SentRequest(request, Map.of(), request.bodyPublisher(), timeout);
  }

  /**
   * The request of a response without what was added to it, so that one made from it is an
   * operation of its own. A request that the JDK made took over the timeout of the attempt.
   *
   * @param asked the caller's request
   */
  static HttpRequest handedBack(
      HttpRequest asked, HttpOperation operation, HttpResponse<?> response) {
    if (response.previousResponse().isEmpty()) {
      return asked;
    }
    HttpRequest own =
        HttpRequest.newBuilder(response.request(), (name, value) -> !operation.adds(name)).build();
    return own.timeout().equals(asked.timeout()) ? own : timed(own, asked.timeout());
  }

  private static HttpHeaders merged(HttpHeaders own, Map<String, String> added) {
    if (added.isEmpty()) {
      return own;
    }
    Map<String, List<String>> all = new LinkedHashMap<>(own.map());
    added.forEach((name, value) -> {
      all.keySet().removeIf(name::equalsIgnoreCase);
      all.put(name, List.of(value));
    });
    return HttpHeaders.of(all, (name, value) -> true);
  }

  @Override
  public Optional<BodyPublisher> bodyPublisher() {
    return body;
  }

  @Override
  public String method() {
    return request.method();
  }

  @Override
  public Optional<Duration> timeout() {
    return timeout;
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
    HttpHeaders known = headers;
    if (known == null) {
      known = merged(request.headers(), added);
      headers = known;
    }
    return known;
  }

  @Override
  public String toString() {
    return request.toString();
  }
}
