package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.RequestView;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients of both kinds share budgets, so both must name an origin alike. */
class OkHttpViewsTest {
  /** As {@code java.net.http} sees a request: by its URI alone. */
  private record ByUri(URI uri) implements RequestView {
    @Override
    public String method() {
      return "GET";
    }

    @Override
    public List<String> headers(String name) {
      return List.of();
    }

    @Override
    public Optional<byte[]> body(int limit) {
      return Optional.of(new byte[0]);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://example.com/a?b=c, http://example.com:80",
    "https://example.com, https://example.com:443",
    "HTTPS://API.Example.COM:8443/, https://api.example.com:8443",
    "http://user:secret@example.com/, http://example.com:80",
    "http://[2001:db8::1]/, http://[2001:db8::1]:80",
    "https://[::1]:8443/, https://[::1]:8443",
    "http://127.0.0.1:8080/, http://127.0.0.1:8080",
    "http://under_score.internal/, http://under_score.internal:80"
  })
  void originsAreThoseOfTheUri(String url, String origin) {
    Request request = new Request.Builder().url(url).build();
    assertEquals(origin, new CallersRequest(request).origin());
    assertEquals(origin, new ByUri(URI.create(url)).origin());
  }

  /** {@code java.net.URI} does not know such a password, and would quote it in its exception. */
  @ParameterizedTest
  @CsvSource({
    "http://user:100%sure@example.com/pay",
    "http://100%sure@example.com/pay",
    "http://user:hush@example.com/pay",
    "http://example.com/pay"
  })
  void theUriHasNoUserInfo(String url) {
    Request request = new Request.Builder().url(url).build();
    assertEquals(URI.create("http://example.com/pay"), new CallersRequest(request).uri());
  }

  @Test
  void whatTheBodySaysGoesOutAsAHeader() {
    RequestBody typed = RequestBody.create("text", MediaType.get("text/plain"));
    Request.Builder request =
        new Request.Builder().url("http://example.com/").header("Content-Type", "a/b");
    RequestView of = new CallersRequest(request.post(typed).build());
    assertEquals(List.of("text/plain; charset=utf-8"), of.headers("content-type"));
    assertEquals(List.of("4"), of.headers("Content-Length"));

    RequestBody untyped = RequestBody.create("text", null);
    assertEquals(
        List.of("a/b"), new CallersRequest(request.post(untyped).build()).headers("Content-Type"));
    RequestView unknown = new CallersRequest(request.post(Bodies.streaming(1)).build());
    assertEquals(List.of(), unknown.headers("Content-Length"));
    RequestView none = new CallersRequest(request.get().build());
    assertEquals(List.of("a/b"), none.headers("Content-Type"));
    assertEquals(List.of(), none.headers("Content-Length"));
  }

  @Test
  void theMapOfHeadersHasAllLines_whateverTheCase_andCannotBeChanged() {
    Headers headers = Headers.of("Retry-After", "1", "X-Why", "busy", "retry-after", "2");
    Map<String, List<String>> map = OkHttpViews.headerMap(headers);
    assertEquals(Map.of("retry-after", List.of("1", "2"), "x-why", List.of("busy")), map);
    assertEquals(List.of("1", "2"), map.get("RETRY-AFTER"));
    assertTrue(map.containsKey("X-WHY"));
    assertFalse(map.containsKey("x-where"));
    assertNull(map.get("x-where"));
    assertEquals(2, map.size());
    assertThrows(UnsupportedOperationException.class, map::clear);
    assertThrows(UnsupportedOperationException.class, () -> map.put("a", List.of()));
  }
}
