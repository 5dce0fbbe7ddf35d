package dev.steadfast.retry.spring;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.httpclient.JdkReports;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

/** A response of the JDK's client. */
final class JdkAnswer implements Answer {
  private final HttpResponse<InputStream> response;
  private final Runnable whenClosed;
  private final HttpHeaders headers = new HttpHeaders();
  private final CountedBody body;

  JdkAnswer(HttpResponse<InputStream> response, Runnable whenClosed) {
    this.response = response;
    this.whenClosed = whenClosed;
    response.headers().map().forEach(headers::addAll);
    this.body = new CountedBody(response.body(), headers.getContentLength());
  }

  @Override
  public HttpStatusCode getStatusCode() {
    return HttpStatusCode.valueOf(response.statusCode());
  }

  // The JDK does not tell.
  @Override
  public String getStatusText() {
    HttpStatus known = HttpStatus.resolve(response.statusCode());
    return known == null ? "" : known.getReasonPhrase();
  }

  @Override
  public HttpHeaders getHeaders() {
    return headers;
  }

  @Override
  public InputStream getBody() {
    return body;
  }

  @Override
  public RetryReport retryReport() {
    return JdkReports.of(response);
  }

  @Override
  public void close() {
    try {
      body.end(this::giveUp);
    } finally {
      whenClosed.run();
    }
  }

  private void giveUp() {
    try {
      response.body().close();
    } catch (IOException broken) {
      // nobody wants it any more
    }
  }
}
