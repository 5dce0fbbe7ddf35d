package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.ResponseView;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a server answered: the head alone while its body is not yet collected, then the whole
 * response. Immutable.
 */
final class Answer<T> implements ResponseView {
  private final int status;
  private final HttpHeaders headers;
  private final @Nullable HttpResponse<T> response;
  private final @Nullable WatchedSubscriber<T> collector;

  private Answer(
      int status,
      HttpHeaders headers,
      @Nullable HttpResponse<T> response,
      @Nullable WatchedSubscriber<T> collector) {
    this.status = status;
    this.headers = headers;
    this.response = response;
    this.collector = collector;
  }

  static <T> Answer<T> head(HttpResponse.ResponseInfo info) {
    return new Answer<>(info.statusCode(), info.headers(), null, null);
  }

  static <T> Answer<T> whole(HttpResponse<T> response, @Nullable WatchedSubscriber<T> collector) {
    return new Answer<>(response.statusCode(), response.headers(), response, collector);
  }

  Answer<T> with(@Nullable RetryReport report, OperationInfo operation, HttpRequest request) {
    HttpResponse<T> reported = new ReportedResponse<>(response(), request, operation, report);
    return new Answer<>(status, headers, reported, collector);
  }

  HttpResponse<T> response() {
    if (response == null) {
      throw new IllegalStateException("only the head of this response is here: " + status);
    }
    return response;
  }

  /** Lets go of a body that nobody will read. */
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
  public List<String> headers(String name) {
    return headers.allValues(name);
  }

  @Override
  public Map<String, List<String>> headerMap() {
    return headers.map();
  }
}
