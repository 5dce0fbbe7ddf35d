package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.RetryOptions;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** OkHttp's requests and responses as the rules see them. */
final class OkHttpViews {
  private OkHttpViews() {}

  // Not through java.net.URI, which would parse the whole URL again. OkHttp has both parts in lower
  // case, and an IPv6 address without its brackets.
  static String origin(HttpUrl url) {
    String host = url.host();
    String written = host.indexOf(':') < 0 ? host : "[" + host + "]";
    return RequestView.origin(url.scheme(), written, url.port());
  }

  /**
   * The options among the tags of a request, whatever type they were tagged as.
   *
   * @throws IllegalArgumentException if a tag is a builder of options, which would have no effect
   */
  static RetryOptions options(Request request) {
    Object untyped = request.tag();
    if (untyped instanceof RetryOptions.Builder
        || request.tag(RetryOptions.Builder.class) != null) {
      throw new IllegalArgumentException(
          "tag: a RetryOptions.Builder (expected: the RetryOptions that its build() returns)");
    }
    RetryOptions options = request.tag(RetryOptions.class);
    if (options == null && untyped instanceof RetryOptions found) {
      options = found;
    }
    return options == null ? RetryOptions.none() : options;
  }

  /**
   * Whether a request passes as it is: an upgrade, or a duplex body.
   *
   * @throws IllegalArgumentException if it does, and its options name a journaled operation
   */
  static boolean untouched(Request request) {
    RequestBody body = request.body();
    boolean untouched = request.header("Upgrade") != null || (body != null && body.isDuplex());
    if (untouched) {
      options(request).refuseToJournal("an upgrade or a duplex body");
    }
    return untouched;
  }

  /** Whether a response has a body that is still to be read from its connection. */
  static boolean hasBodyOfNetwork(Response response) {
    boolean none =
        response.body() == null
            || response.body().contentLength() == 0
            || response.code() == 204
            || response.code() == 304
            || response.request().method().equals("HEAD");
    return !none && response.networkResponse() != null;
  }

  /** Whether an answer comes from the cache, or says that the cache has none. */
  static boolean ofCache(Response answer) {
    return answer.cacheResponse() != null
        || (answer.code() == 504 && answer.request().cacheControl().onlyIfCached());
  }

  /** All headers: an immutable map, whose names are found in any case. */
  static Map<String, List<String>> headerMap(Headers headers) {
    return Collections.unmodifiableMap(headers.toMultimap());
  }
}
