package dev.steadfast.retry.apache5;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.steadfast.retry.http.ResponseView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/** The answer of an attempt. */
final class Answer implements ResponseView {
  private final ClassicHttpResponse response;
  private final @Nullable WireTrace wire;
  private final byte @Nullable [] whole;
  private final @Nullable String error; // the first event of its stream, if that is an error

  /**
   * An answer.
   *
   * @param response as HttpClient gave it
   * @param wire the attempt; null for an answer that a journal kept
   * @param whole the body, if it was read within the attempt
   */
  Answer(ClassicHttpResponse response, @Nullable WireTrace wire, byte @Nullable [] whole) {
    this(response, wire, whole, null);
  }

  /**
   * The same with the beginning of a stream.
   *
   * @param error the data of its first event, if that is an error
   */
  Answer(
      ClassicHttpResponse response,
      @Nullable WireTrace wire,
      byte @Nullable [] whole,
      @Nullable String error) {
    this.response = response;
    this.wire = wire;
    this.whole = whole;
    this.error = error;
  }

  ClassicHttpResponse response() {
    return response;
  }

  @Nullable WireTrace wire() {
    return wire;
  }

  byte @Nullable [] whole() {
    return whole;
  }

  /** The same with its body, which was read because nobody wanted it. */
  Answer read(byte[] body) {
    HttpEntity entity = response.getEntity();
    if (entity != null && whole == null) {
      response.setEntity(new ReadEntity(entity, body, null));
    }
    return new Answer(response, wire, body);
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
    return whole == null ? Optional.empty() : Optional.of(new String(whole, UTF_8));
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
