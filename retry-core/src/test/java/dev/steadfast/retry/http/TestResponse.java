package dev.steadfast.retry.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A response head as a client would show it. */
public final class TestResponse implements ResponseView {
  private final int status;
  private final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private Optional<String> origin = Optional.empty();
  private Optional<String> body = Optional.empty();
  private Optional<String> errorEvent = Optional.empty();

  private TestResponse(int status) {
    this.status = status;
  }

  public static TestResponse of(int status) {
    return new TestResponse(status);
  }

  /** A response with headers given as "Name: value". */
  public static TestResponse of(int status, List<String> lines) {
    TestResponse response = of(status);
    for (String line : lines) {
      int colon = line.indexOf(": ");
      response.header(line.substring(0, colon), line.substring(colon + 2));
    }
    return response;
  }

  /** Adds a line. */
  public TestResponse header(String name, String value) {
    headers.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    return this;
  }

  /** Says which server gave it. */
  TestResponse from(String server) {
    origin = Optional.of(server);
    return this;
  }

  /** Adds a body, as the rules read it. */
  TestResponse body(String text) {
    body = Optional.of(text);
    return this;
  }

  /** Begins a stream with an error. */
  TestResponse errorEvent(String data) {
    errorEvent = Optional.of(data);
    return this;
  }

  @Override
  public Optional<String> origin() {
    return origin;
  }

  @Override
  public Optional<String> bodyText() {
    return body;
  }

  @Override
  public Optional<String> errorEvent() {
    return errorEvent;
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public List<String> headers(String name) {
    return headers.getOrDefault(name, List.of());
  }

  @Override
  public Map<String, List<String>> headerMap() {
    return headers;
  }

  @Override
  public String toString() {
    return status + " " + headers;
  }
}
