package dev.steadfast.retry.http;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A request as a client would show it; its toString tells everything, as OkHttp's does. */
public final class TestRequest implements RequestView {
  private final String method;
  private final URI uri;
  private final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private byte[] body = {};
  private boolean oneShot;

  private TestRequest(String method, URI uri) {
    this.method = method;
    this.uri = uri;
  }

  public static TestRequest of(String method) {
    return of(method, "https://api.example/orders");
  }

  static TestRequest of(String method, String uri) {
    return new TestRequest(method, URI.create(uri));
  }

  /** Adds a line. */
  TestRequest header(String name, String value) {
    headers.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    return this;
  }

  public TestRequest body(String text) {
    return body(text.getBytes(StandardCharsets.UTF_8));
  }

  TestRequest body(byte[] bytes) {
    this.body = bytes;
    return this;
  }

  TestRequest oneShot() {
    this.oneShot = true;
    return this;
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public URI uri() {
    return uri;
  }

  @Override
  public List<String> headers(String name) {
    return headers.getOrDefault(name, List.of());
  }

  @Override
  public Optional<Set<String>> headerNames() {
    return Optional.of(headers.keySet());
  }

  @Override
  public Optional<byte[]> body(int limit) {
    return oneShot || body.length > limit ? Optional.empty() : Optional.of(body.clone());
  }

  @Override
  public String toString() {
    return method + " " + uri + " " + headers;
  }
}
