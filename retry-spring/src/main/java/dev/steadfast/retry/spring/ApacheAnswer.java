package dev.steadfast.retry.spring;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.apache5.Apache5Reports;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;

/** A response of Apache HttpClient's. */
final class ApacheAnswer implements SpringAnswer {
  private final ClassicHttpResponse response;
  private final Runnable abort;
  private final HttpHeaders headers;
  private @Nullable CountedBody body;

  /**
   * An answer.
   *
   * @param response the response as HttpClient gave it
   * @param abort ends its connection, if it has not been given back
   */
  ApacheAnswer(ClassicHttpResponse response, Runnable abort) {
    this.response = response;
    this.abort = abort;
    this.headers = headers(response);
  }

  private static HttpHeaders headers(ClassicHttpResponse response) {
    boolean unpacked = isUnpacked(response);
    HttpHeaders headers = new HttpHeaders();
    for (Header each : response.getHeaders()) {
      if (!unpacked || !Compression.isOfPacked(each.getName())) {
        headers.add(each.getName(), each.getValue());
      }
    }
    return headers;
  }

  // HttpClient shows this by the body only, and leaves the headers as they came.
  private static boolean isUnpacked(ClassicHttpResponse response) {
    HttpEntity entity = response.getEntity();
    return entity != null
        && entity.getContentEncoding() == null
        && response.containsHeader(HttpHeaders.CONTENT_ENCODING)
        && !hasLengthOf(entity, response.getFirstHeader(HttpHeaders.CONTENT_LENGTH));
  }

  /** Whether the body came with this length: a journal keeps a compressed one as it came. */
  private static boolean hasLengthOf(HttpEntity entity, @Nullable Header length) {
    return length != null && length.getValue().equals(Long.toString(entity.getContentLength()));
  }

  @Override
  public HttpStatusCode getStatusCode() {
    return HttpStatusCode.valueOf(response.getCode());
  }

  @Override
  public String getStatusText() {
    String reason = response.getReasonPhrase();
    return reason == null ? "" : reason;
  }

  @Override
  public HttpHeaders getHeaders() {
    return headers;
  }

  @Override
  public InputStream getBody() throws IOException {
    return body();
  }

  private CountedBody body() throws IOException {
    CountedBody known = body;
    if (known == null) {
      HttpEntity entity = response.getEntity();
      known =
          entity == null
              ? new CountedBody(InputStream.nullInputStream(), 0)
              : new CountedBody(entity.getContent(), entity.getContentLength());
      body = known;
    }
    return known;
  }

  @Override
  public RetryReport retryReport() {
    return Apache5Reports.of(response);
  }

  // The close of the response alone would wait for the end of a long body.
  @Override
  public void close() {
    try {
      body().end(abort);
      response.close();
    } catch (IOException broken) {
      abort.run(); // nobody wants it any more
    }
  }
}
