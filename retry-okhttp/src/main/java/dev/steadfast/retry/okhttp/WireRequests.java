package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.engine.WireLog;
import dev.steadfast.retry.http.HttpOperation;
import java.util.List;
import java.util.function.Function;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The meaning of a request on the wire for its operation. */
final class WireRequests {
  // Why it is like this: docs/decisions/redirects.md
  /** The evidence of an attempt that has not begun. */
  static final Evidence NONE = Evidence.of(Disposition.UNSENT, Safety.UNPROCESSED, -1, 0);

  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private WireRequests() {}

  /** Why a request may be sent again, by its method and headers as they go over the wire. */
  static Safety safety(HttpOperation operation, Request request) {
    return operation.safety(request.method(), headers(request));
  }

  /** Reports a request that goes out now. Returns false if nothing may go out any more. */
  static boolean sends(HttpOperation operation, WireLog<Request> log, Request request) {
    Function<String, List<String>> headers = headers(request);
    Safety safety = operation.safety(request.method(), headers);
    return log.sends(request, safety, operation.carriesKey(headers));
  }

  /**
   * Whether the first request on the wire may follow a redirect that OkHttp's cache has kept: then
   * it goes to another origin, and what we added for the first one must not go along. Such a
   * request needs no key to be repeated.
   */
  static boolean mayFollowCachedRedirect(HttpOperation operation, Request request) {
    String method = request.method();
    return (method.equals("GET") || method.equals("QUERY"))
        && !operation.headersOfOrigin().isEmpty();
  }

  /** Whether the client sends another request for an answer: a redirect, or a challenge. */
  static boolean followed(Response head) {
    int status = head.code();
    return (status >= 300 && status < 400) || AnswerProof.of(status) == AnswerProof.REFUSED;
  }

  /** Whether a request is for the same as another one; its host may be another. */
  static boolean sameTarget(Request one, Request other) {
    if (!one.method().equals(other.method())) {
      return false;
    }
    HttpUrl url = one.url();
    // Reading a path copies it. Mostly both requests have the very same URL.
    return url.equals(other.url()) || url.encodedPath().equals(other.url().encodedPath());
  }

  /** Names a request in reports, without what may be secret in its query. */
  static String text(Request request) {
    HttpUrl url = request.url();
    return request.method() + " " + OkHttpViews.origin(url) + url.encodedPath();
  }

  private static Function<String, List<String>> headers(Request request) {
    return name -> lines(request.headers(), name);
  }

  // The same as Headers.values, with less copying.
  private static List<String> lines(Headers headers, String name) {
    String last = headers.get(name);
    if (last == null) {
      return List.of();
    }
    int count = 0;
    for (int i = 0; i < headers.size(); i++) {
      count += headers.name(i).equalsIgnoreCase(name) ? 1 : 0;
    }
    return count == 1 ? List.of(last) : headers.values(name);
  }

  /** Removes the headers that must not go to the server of this request. */
  static Request withoutHeadersOf(HttpOperation operation, HttpUrl origin, Request request) {
    List<String> bound =
        operation.foreignHeaders(OkHttpViews.origin(origin), OkHttpViews.origin(request.url()));
    if (bound.stream().allMatch(name -> request.header(name) == null)) {
      return request;
    }
    if (operation.keyHeader().filter(bound::contains).map(request::header).isPresent()) {
      LOG.debug("{}: no idempotency key is sent to {}", operation, text(request));
    }
    Request.Builder foreign = request.newBuilder();
    bound.forEach(foreign::removeHeader);
    return foreign.build();
  }

  // Compares values, because OkHttp strips the body and interceptors may copy.
  static boolean sameAnswer(@Nullable Response seen, Response network) {
    return seen != null
        && seen.code() == network.code()
        && seen.sentRequestAtMillis() == network.sentRequestAtMillis()
        && seen.receivedResponseAtMillis() == network.receivedResponseAtMillis();
  }
}
