package dev.steadfast.retry.spring;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.httpclient.JdkReports;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

/** A response of the JDK's client. */
final class JdkAnswer implements SpringAnswer {
  private final HttpResponse<InputStream> response;
  private final Runnable whenClosed;
  private final HttpHeaders headers = new HttpHeaders();
  private final @Nullable String coding; // null: the body is as it came
  private final CountedBody body;
  private @Nullable InputStream unpacked;

  JdkAnswer(HttpResponse<InputStream> response, Runnable whenClosed) {
    this.response = response;
    this.whenClosed = whenClosed;
    this.coding = Compression.of(response.headers().allValues("Content-Encoding"));
    this.body =
        new CountedBody(
            response.body(), response.headers().firstValueAsLong("Content-Length").orElse(-1));
    response.headers().map().forEach(this::add);
  }

  private void add(String name, List<String> values) {
    if (coding == null || !Compression.isOfPacked(name)) {
      headers.addAll(name, values);
    }
  }

  @Override
  public HttpStatusCode getStatusCode() {
    return HttpStatusCode.valueOf(response.statusCode());
  }

  // The JDK's client does not show the text of a status.
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
  public InputStream getBody() throws IOException {
    if (coding == null) {
      return body;
    }
    InputStream known = unpacked;
    if (known == null) {
      known = Compression.unpacked(body, coding);
      unpacked = known;
    }
    return known;
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
