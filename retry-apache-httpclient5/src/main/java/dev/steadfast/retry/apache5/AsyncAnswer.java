package dev.steadfast.retry.apache5;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.steadfast.retry.http.ResponseView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.jspecify.annotations.Nullable;

/** The answer of an attempt of an asynchronous client. */
final class AsyncAnswer implements ResponseView {
  private final HttpResponse response;
  private final @Nullable EntityDetails details; // null: without a body
  private final @Nullable WireTrace wire; // null: a journal kept it
  private final BodyRelay body;
  private volatile byte @Nullable [] whole;
  private volatile @Nullable String error; // the first event of its stream, if that is an error

  AsyncAnswer(
      HttpResponse response,
      @Nullable EntityDetails details,
      @Nullable WireTrace wire,
      BodyRelay body) {
    this.response = response;
    this.details = details;
    this.wire = wire;
    this.body = body;
  }

  /** An answer of which a journal has kept this. */
  static AsyncAnswer kept(ResponseView head, byte[] body) {
    HttpResponse response = new BasicHttpResponse(head.status());
    response.setVersion(HttpVersion.HTTP_1_1);
    head.headerMap()
        .forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
    String type = head.headers("Content-Type").stream().findFirst().orElse(null);
    EntityDetails details = new BasicEntityDetails(body.length, ContentType.parseLenient(type));
    AsyncAnswer answer = new AsyncAnswer(response, details, null, BodyRelay.of(body));
    answer.whole = body;
    return answer;
  }

  /** The same with its body, which was read because nobody wanted it. */
  AsyncAnswer read(byte[] bytes) {
    AsyncAnswer answer = new AsyncAnswer(response, details, wire, BodyRelay.of(bytes));
    answer.whole = bytes;
    return answer;
  }

  /** Its body was read within the attempt. */
  void whole(byte[] bytes) {
    whole = bytes;
  }

  /** Its stream begins with this error, null for another event. */
  void begins(@Nullable String errorEvent) {
    error = errorEvent;
  }

  byte @Nullable [] whole() {
    return whole;
  }

  HttpResponse response() {
    return response;
  }

  @Nullable WireTrace wire() {
    return wire;
  }

  BodyRelay body() {
    return body;
  }

  /** The caller gets it. */
  void handTo(AsyncExecCallback callers) {
    body.handTo(callers, response, details);
  }

  @Override
  public int status() {
    return response.getCode();
  }

  @Override
  public List<String> headers(String name) {
    return Apache5Views.lines(response, name);
  }

  @Override
  public Map<String, List<String>> headerMap() {
    return Apache5Views.map(response);
  }

  @Override
  public boolean hasHeader(Predicate<String> name) {
    return Apache5Views.any(response, name);
  }

  @Override
  public Optional<String> bodyText() {
    byte[] read = whole;
    return read == null ? Optional.empty() : Optional.of(new String(read, UTF_8));
  }

  @Override
  public Optional<String> errorEvent() {
    return Optional.ofNullable(error);
  }

  @Override
  public Optional<String> origin() {
    return wire == null ? Optional.empty() : wire.origin();
  }
}
