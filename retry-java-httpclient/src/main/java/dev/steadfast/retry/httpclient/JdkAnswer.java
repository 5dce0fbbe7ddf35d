package dev.steadfast.retry.httpclient;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.ResponseView;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a server: the head alone while its body is not yet collected, then the whole
 * response. Immutable.
 */
final class JdkAnswer<T> implements ResponseView {
  private static final int MOST_TEXT_BYTES = 64 * 1024;

  private final int status;
  private final HttpHeaders headers;
  private final @Nullable String origin; // of a head; null: not known yet
  private final @Nullable HttpResponse<T> response;
  private final @Nullable WatchedSubscriber<?> collector; // of the body; null: none, or not watched
  private final byte @Nullable [] read; // the body, if the rules read it
  private final @Nullable String error; // the first event of its stream, if that is an error

  private JdkAnswer(
      int status,
      HttpHeaders headers,
      @Nullable String origin,
      @Nullable HttpResponse<T> response,
      @Nullable WatchedSubscriber<?> collector) {
    this.status = status;
    this.headers = headers;
    this.origin = origin;
    this.response = response;
    this.collector = collector;
    this.read = null;
    this.error = null;
  }

  private JdkAnswer(JdkAnswer<T> of, byte @Nullable [] read, @Nullable String error) {
    this.status = of.status;
    this.headers = of.headers;
    this.origin = of.origin;
    this.response = of.response;
    this.collector = of.collector;
    this.read = read;
    this.error = error;
  }

  /** A head alone. The client does not say with it who sent it. */
  static <T> JdkAnswer<T> head(HttpResponse.ResponseInfo info, @Nullable String origin) {
    return new JdkAnswer<>(info.statusCode(), info.headers(), origin, null, null);
  }

  static <T> JdkAnswer<T> whole(
      HttpResponse<T> response, @Nullable WatchedSubscriber<T> collector) {
    return new JdkAnswer<>(response.statusCode(), response.headers(), null, response, collector);
  }

  /** The same answer with its body, for the rules. */
  JdkAnswer<T> judgedWith(byte[] bytes) {
    return new JdkAnswer<>(this, bytes, error);
  }

  /** The same answer with the first event of its stream, null if that is no error. */
  JdkAnswer<T> begunWith(@Nullable String errorEvent) {
    return errorEvent == null ? this : new JdkAnswer<>(this, read, errorEvent);
  }

  JdkAnswer<T> with(@Nullable RetryReport report, OperationInfo operation, HttpRequest request) {
    HttpResponse<T> whole = response();
    RetryReport told = AfterRedirect.told(report, whole);
    HttpResponse<T> reported = new ReportedResponse<>(whole, request, operation, told);
    return new JdkAnswer<>(status, headers, origin, reported, collector);
  }

  HttpResponse<T> response() {
    if (response == null) {
      throw new IllegalStateException("only the head of this response is here: " + status);
    }
    return response;
  }

  /** Releases a body that will not be read. */
  void discard() {
    if (collector != null) {
      collector.discard();
    }
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public Optional<String> bodyText() {
    return read == null ? Optional.empty() : text(read);
  }

  // Decompresses the body, because the client does not.
  private Optional<String> text(byte[] bytes) {
    String coding = headers.firstValue("Content-Encoding").orElse("identity");
    InputStream plain = new ByteArrayInputStream(bytes);
    try (InputStream in =
        switch (coding.toLowerCase(Locale.ROOT)) {
          case "gzip", "x-gzip" -> new GZIPInputStream(plain);
          case "deflate" -> new InflaterInputStream(plain);
          default -> plain;
        }) {
      byte[] text = in.readNBytes(MOST_TEXT_BYTES + 1);
      return text.length > MOST_TEXT_BYTES
          ? Optional.empty()
          : Optional.of(new String(text, UTF_8));
    } catch (IOException broken) {
      return Optional.empty();
    }
  }

  @Override
  public Optional<String> errorEvent() {
    return Optional.ofNullable(error);
  }

  @Override
  public Optional<String> origin() {
    return response == null
        ? Optional.ofNullable(origin)
        : Optional.of(RequestView.origin(response.uri()));
  }

  @Override
  public List<String> headers(String name) {
    return headers.allValues(name);
  }

  @Override
  public Map<String, List<String>> headerMap() {
    return headers.map();
  }
}
