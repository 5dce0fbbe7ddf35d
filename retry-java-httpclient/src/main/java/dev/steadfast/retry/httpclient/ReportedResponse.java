package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.CleanReport;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A response that carries the report of its operation.
 *
 * @param response the response as the client gave it
 * @param request the request without our additions
 * @param operation the operation that it answers
 * @param report the report; null if the first attempt was accepted
 */
record ReportedResponse<T>(
    HttpResponse<T> response,
    HttpRequest request,
    OperationInfo operation,
    @Nullable RetryReport report)
    implements HttpResponse<T>, RetryReport.Carrier {

  @Override
  public RetryReport retryReport() {
    return report == null ? CleanReport.of(operation) : report;
  }

  @Override
  public int statusCode() {
    return response.statusCode();
  }

  @Override
  public Optional<HttpResponse<T>> previousResponse() {
    return response.previousResponse();
  }

  @Override
  public HttpHeaders headers() {
    return response.headers();
  }

  @Override
  public T body() {
    return response.body();
  }

  @Override
  public Optional<SSLSession> sslSession() {
    return response.sslSession();
  }

  @Override
  public URI uri() {
    return response.uri();
  }

  @Override
  public HttpClient.Version version() {
    return response.version();
  }

  /** A method of Java 25; not an override on the Java that this is compiled for. */
  public Optional<String> connectionLabel() {
    return NewerMethods.connectionLabel(response);
  }

  @Override
  public String toString() {
    return response.toString();
  }
}
