package dev.steadfast.retry.apache5;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.ResponseView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * The answer of an attempt, of the classic or an asynchronous client.
 *
 * @param <R> the responses of that client
 */
class Apache5Answer<R extends HttpResponse> implements ResponseView {
  private volatile R response;
  private final @Nullable WireTrace wire; // null: a journal kept it
  private volatile byte @Nullable [] whole; // null: its body was not read within the attempt
  private volatile @Nullable String error; // the first event of its stream, if that is an error

  Apache5Answer(R response, @Nullable WireTrace wire) {
    this.response = response;
    this.wire = wire;
  }

  /** Copies a head that a journal has kept into a new response. */
  static <R extends HttpResponse> R saved(R response, ResponseView head) {
    response.setVersion(HttpVersion.HTTP_1_1);
    head.headerMap()
        .forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
    return response;
  }

  /** The type of a body of which a journal has kept the head. */
  static @Nullable ContentType type(ResponseView head) {
    return ContentType.parseLenient(head.headers("Content-Type").stream().findFirst().orElse(null));
  }

  /** The response as HttpClient gave it, with a report once it has one. */
  final R response() {
    return response;
  }

  final void carry(RetryReport report) {
    response = CarriedReport.on(response, report);
  }

  final @Nullable WireTrace wire() {
    return wire;
  }

  final byte @Nullable [] whole() {
    return whole;
  }

  /** Its body was read within the attempt. */
  final void whole(byte[] bytes) {
    whole = bytes;
  }

  /** Its stream begins with this error, null for another event. */
  final void begins(@Nullable String errorEvent) {
    error = errorEvent;
  }

  @Override
  public final int status() {
    return response.getCode();
  }

  @Override
  public final List<String> headers(String name) {
    return Apache5Views.lines(response, name);
  }

  @Override
  public final Map<String, List<String>> headerMap() {
    return Apache5Views.map(response);
  }

  @Override
  public final boolean hasHeader(Predicate<String> name) {
    return Apache5Views.any(response, name);
  }

  @Override
  public final Optional<String> bodyText() {
    byte[] read = whole;
    return read == null ? Optional.empty() : Optional.of(new String(read, UTF_8));
  }

  @Override
  public final Optional<String> errorEvent() {
    return Optional.ofNullable(error);
  }

  @Override
  public final Optional<String> origin() {
    return wire == null ? Optional.empty() : wire.origin();
  }
}
