package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/** Turns requests and responses into what a journal keeps, and back. */
final class SavedAnswers {
  // An empty body of these methods means that there was none. OkHttp wants a body for some others.
  private static final Set<String> NO_BODY = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "CONNECT");

  private SavedAnswers() {}

  /**
   * The body of an answer: the part that was read within the attempt, so this does not wait. The
   * caller reads it again.
   *
   * @param mostBytes the longest body that is kept
   * @return null if it is not kept
   */
  static byte @Nullable [] body(OkHttpAnswer answer, int mostBytes) {
    Buffer whole = answer.whole();
    if (whole != null) {
      return whole.size() > mostBytes ? null : whole.snapshot().toByteArray();
    }
    ResponseBody body = answer.response().body();
    boolean none = mostBytes == 0 && body != null && body.contentLength() == 0;
    return none ? new byte[0] : null;
  }

  /**
   * The request of an operation that another call or process began.
   *
   * @throws IllegalArgumentException if its body is not kept, or OkHttp does not take the request
   */
  static Request request(Journaling.Journal journal, Journaling.Kept due) {
    RequestView kept = due.request();
    byte[] bytes = due.body();
    boolean none = bytes.length == 0 && NO_BODY.contains(kept.method());
    // The body needs no type: the headers have it as it was sent.
    RequestBody body = none ? null : RequestBody.create(bytes, null);
    return new Request.Builder()
        .url(kept.uri().toString())
        .method(kept.method(), body)
        .headers(headers(due.headers()))
        .tag(RetryOptions.class, RetryOptions.resuming(journal, due))
        .build();
  }

  /** The open question about the requests before that of the response. */
  static EarlierRequest earlierRequest(Response response) {
    EarlierRequest earlier = EarlierRequest.NONE;
    Response next = response;
    for (Response prior = next.priorResponse(); prior != null; prior = next.priorResponse()) {
      String method = prior.request().method();
      earlier = earlier.and(EarlierRequest.before(prior.code(), method, next.request().method()));
      next = prior;
    }
    return earlier;
  }

  /** The answer as OkHttp would give it. */
  static Response restore(ResponseView head, byte[] body, Request request, RetryReport report) {
    Headers headers = headers(head.headerMap());
    String type = headers.get("Content-Type");
    Response response =
        new Response.Builder()
            .request(request)
            .protocol(Protocol.HTTP_1_1)
            .code(head.status())
            .message("")
            .headers(headers)
            .body(ResponseBody.create(body, type == null ? null : MediaType.parse(type)))
            .build();
    return response.newBuilder().request(OkHttpReports.tagged(request, response, report)).build();
  }

  // OkHttp itself reads a server's headers so. Its other methods refuse what is not ASCII.
  private static Headers headers(Map<String, List<String>> lines) {
    Headers.Builder headers = new Headers.Builder();
    lines.forEach(
        (name, values) -> values.forEach(value -> headers.addUnsafeNonAscii(name, value)));
    return headers.build();
  }
}
