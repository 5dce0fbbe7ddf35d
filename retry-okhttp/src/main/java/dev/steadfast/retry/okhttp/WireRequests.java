package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.Advice;
import java.util.List;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** What a request on the wire means for its operation. */
final class WireRequests {
  private WireRequests() {}

  /** Why a request may be sent again, by its method and headers as they go over the wire. */
  static Safety safety(HttpOperation operation, Request request) {
    return operation.safety(request.method(), name -> lines(request.headers(), name));
  }

  // As Headers.values, which copies more than it gives.
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

  /** A key belongs to one server, a scope to those named: a redirect elsewhere takes neither. */
  static Request withoutHeadersOf(HttpOperation operation, HttpUrl origin, Request request) {
    if (sameOrigin(origin, request.url())) {
      return request;
    }
    List<String> bound = operation.headersOfOrigin();
    if (bound.stream().allMatch(name -> request.header(name) == null)) {
      return request;
    }
    Request.Builder foreign = request.newBuilder();
    bound.forEach(foreign::removeHeader);
    return foreign.build();
  }

  private static boolean sameOrigin(HttpUrl one, HttpUrl other) {
    return one.scheme().equals(other.scheme())
        && one.host().equals(other.host())
        && one.port() == other.port();
  }

  // Not the same object: OkHttp strips the body, and interceptors may copy.
  static boolean sameAnswer(@Nullable Response seen, Response network) {
    return seen != null
        && seen.code() == network.code()
        && seen.sentRequestAtMillis() == network.sentRequestAtMillis()
        && seen.receivedResponseAtMillis() == network.receivedResponseAtMillis();
  }

  /**
   * Warns if a request goes out after one of the same attempt that failed. OkHttp is kept from
   * that, except for the next address of a host that refused the stream. So an interceptor must be
   * retrying by itself.
   *
   * @param answer the head of the answer before, null without one
   * @param before what became of the request before
   */
  static void adviseOnResendBeneath(
      HttpOperation operation, @Nullable Response answer, Disposition before) {
    int status = answer == null ? 0 : answer.code();
    boolean failed = status >= 500 || status == 408 || status == 429;
    if (failed || before == Disposition.UNKNOWN) {
      operation.plan().advise(Advice.RESENT_BENEATH, operation);
    }
  }
}
