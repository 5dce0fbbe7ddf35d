package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.BodyCopy;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.RequestView;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.BufferedSink;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/** A request as its caller made it, for the core. */
final class CallersRequest implements RequestView {
  private final Request request;
  private final @Nullable CallersBody watched;

  CallersRequest(Request request) {
    this.request = request;
    this.watched = CallersBody.of(request);
  }

  /** The body of an operation; null if it has none that must be watched. */
  static @Nullable CallersBody watched(HttpOperation operation) {
    return ((CallersRequest) operation.request()).watched;
  }

  @Override
  public String method() {
    return request.method();
  }

  @Override
  public URI uri() {
    // The URI has no user info: java.net.URI may not know what is in it, and then quotes the
    // password.
    HttpUrl url = request.url();
    boolean none = url.encodedUsername().isEmpty() && url.encodedPassword().isEmpty();
    return none ? url.uri() : url.newBuilder().username("").password("").build().uri();
  }

  @Override
  public String origin() {
    return OkHttpViews.origin(request.url());
  }

  // The headers as they go out: OkHttp replaces those that the body itself defines.
  @Override
  public List<String> headers(String name) {
    RequestBody body = request.body();
    String ofBody = body == null ? null : header(body, name);
    return ofBody == null ? request.headers(name) : List.of(ofBody);
  }

  @Override
  public Optional<Set<String>> headerNames() {
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    names.addAll(request.headers().names());
    RequestBody body = request.body();
    if (body != null && body.contentType() != null) {
      names.add("Content-Type");
    }
    return Optional.of(names);
  }

  private static @Nullable String header(RequestBody body, String name) {
    if (name.equalsIgnoreCase("Content-Type")) {
      MediaType type = body.contentType();
      return type == null ? null : type.toString();
    }
    if (name.equalsIgnoreCase("Content-Length")) {
      long length = length(body);
      return length < 0 ? null : Long.toString(length);
    }
    return null;
  }

  private static long length(RequestBody body) {
    try {
      return body.contentLength();
    } catch (IOException unknown) {
      return -1;
    }
  }

  @Override
  public Optional<byte[]> body(int limit) {
    RequestBody body = request.body();
    if (body == null) {
      return Optional.of(new byte[0]);
    }
    try {
      if (body.isOneShot() || body.isDuplex() || body.contentLength() > limit) {
        return Optional.empty();
      }
    } catch (IOException unknown) {
      return Optional.empty();
    }
    BodyCopy.Source source =
        out -> {
          BufferedSink sink = Okio.buffer(Okio.sink(out));
          body.writeTo(sink);
          sink.close();
        };
    return BodyCopy.of(source, limit, watched == null ? null : watched.sent());
  }
}
