package dev.steadfast.retry.simulator;

import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.ResponseView;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Simulated requests and answers, as the library's HTTP rules see them. */
final class HttpViews {
  private static final URI SERVER = URI.create("https://server.example/");

  private HttpViews() {}

  /** A request without headers and body. */
  record Request(String method, URI uri) implements RequestView {
    static final Request GET = new Request("GET", SERVER);
    static final Request POST = new Request("POST", SERVER);
    static final Request SLOW = new Request("GET", SERVER.resolve("/slow"));

    @Override
    public List<String> headers(String name) {
      return List.of();
    }

    @Override
    public Optional<byte[]> body(int limit) {
      return Optional.empty();
    }
  }

  /** An answer without a body. */
  record Answer(int status, Map<String, List<String>> headerMap) implements ResponseView {
    static final Answer OK = new Answer(200, Map.of());

    /** A server that is overloaded; it says when to come back, if that is more than 0 s. */
    static Answer unavailable(int retryAfterSeconds) {
      List<String> value = List.of(Integer.toString(retryAfterSeconds));
      return new Answer(503, retryAfterSeconds == 0 ? Map.of() : Map.of("Retry-After", value));
    }

    @Override
    public Optional<String> origin() {
      return Optional.of(Request.GET.origin());
    }

    @Override
    public List<String> headers(String name) {
      return headerMap.getOrDefault(name, List.of());
    }
  }
}
