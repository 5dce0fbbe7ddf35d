package dev.steadfast.retry.spring;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.httpclient.JdkReports;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

/** A response of the JDK's client. */
final class JdkAnswer implements Answer {
  private static final int WORTH_READING_BYTES = 64 * 1024;

  private final HttpResponse<InputStream> response;
  private final Runnable whenClosed;
  private final HttpHeaders headers = new HttpHeaders();

  JdkAnswer(HttpResponse<InputStream> response, Runnable whenClosed) {
    this.response = response;
    this.whenClosed = whenClosed;
    response.headers().map().forEach(headers::addAll);
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
    return response.body();
  }

  @Override
  public RetryReport retryReport() {
    return JdkReports.of(response);
  }

  // A connection can be used again only if the body was read to its end. Nothing more is waited for
  // of a body that may be long, or a stream.
  @Override
  public void close() {
    try (InputStream body = response.body()) {
      long length = headers.getContentLength();
      if (length >= 0 && length <= WORTH_READING_BYTES) {
        body.transferTo(OutputStream.nullOutputStream());
      }
    } catch (IOException broken) {
      // nobody wants it any more
    } finally {
      whenClosed.run();
    }
  }
}
