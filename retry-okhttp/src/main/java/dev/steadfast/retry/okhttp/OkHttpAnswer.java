package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.ResponseView;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import okhttp3.Headers;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * A response together with the attempt that it came from.
 *
 * @param response the response
 * @param attempt null for an answer that a journal kept
 * @param whole the body of the response, if all of it was read within the attempt; null otherwise
 * @param error the first event of the response's stream, if that is an error; null otherwise
 */
record OkHttpAnswer(
    Response response, @Nullable WireTrace attempt, @Nullable Buffer whole, @Nullable String error)
    implements ResponseView {
  OkHttpAnswer(Response response, @Nullable WireTrace attempt, @Nullable Buffer whole) {
    this(response, attempt, whole, null);
  }

  /** The attempt that this answer came from. An answer that a journal kept has none. */
  WireTrace wire() {
    return Objects.requireNonNull(attempt);
  }

  /** Gives up a body that nobody gets. */
  void drop() {
    if (attempt != null) {
      attempt.drop();
    }
  }

  /** Ends a body that is being read. */
  void cancel() {
    if (attempt != null) {
      attempt.call().cancel();
    }
  }

  @Override
  public int status() {
    return response.code();
  }

  @Override
  public List<String> headers(String name) {
    return response.headers(name);
  }

  @Override
  public Map<String, List<String>> headerMap() {
    return OkHttpViews.headerMap(response.headers());
  }

  /** Counts only lines that the server has sent now: to a 304 OkHttp adds those of its cache. */
  @Override
  public boolean hasHeader(Predicate<String> name) {
    Response network = response.networkResponse();
    Response sent = network == null || response.cacheResponse() == null ? response : network;
    Headers headers = sent.headers();
    for (int i = 0; i < headers.size(); i++) {
      if (name.test(headers.name(i))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Optional<String> bodyText() {
    return whole == null ? Optional.empty() : Optional.of(whole.snapshot().utf8());
  }

  @Override
  public Optional<String> errorEvent() {
    return Optional.ofNullable(error);
  }

  @Override
  public Optional<String> origin() {
    return Optional.of(OkHttpViews.origin(response.request().url()));
  }
}
