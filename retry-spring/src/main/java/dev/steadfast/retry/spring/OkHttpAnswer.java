package dev.steadfast.retry.spring;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.okhttp.OkHttpReports;
import java.io.InputStream;
import okhttp3.Response;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;

/** A response of OkHttp's. */
final class OkHttpAnswer implements SpringAnswer {
  private final Response response;
  private final HttpHeaders headers = new HttpHeaders();

  OkHttpAnswer(Response response) {
    this.response = response;
    response.headers().toMultimap().forEach(headers::addAll);
  }

  @Override
  public HttpStatusCode getStatusCode() {
    return HttpStatusCode.valueOf(response.code());
  }

  @Override
  public String getStatusText() {
    return response.message();
  }

  @Override
  public HttpHeaders getHeaders() {
    return headers;
  }

  @Override
  public InputStream getBody() {
    return response.body() == null ? InputStream.nullInputStream() : response.body().byteStream();
  }

  @Override
  public RetryReport retryReport() {
    return OkHttpReports.of(response);
  }

  // OkHttp reads the rest of the body, if that takes a moment only.
  @Override
  public void close() {
    if (response.body() != null) {
      response.body().close();
    }
  }
}
