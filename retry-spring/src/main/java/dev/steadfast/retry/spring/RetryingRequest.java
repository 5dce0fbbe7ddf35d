package dev.steadfast.retry.spring;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.Checks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.http.client.AbstractClientHttpRequest;
import org.springframework.http.client.ClientHttpResponse;

/**
 * One request of Spring's. It runs on the calling thread, with the converter that writes its body,
 * unless the body is long. Used by one thread.
 */
final class RetryingRequest extends AbstractClientHttpRequest
    implements StreamingHttpOutputMessage {
  static final int DEFAULT_LIMIT = 1 << 20;

  private final HttpMethod method;
  private final URI uri;
  private final Wire wire;
  private final int limit;

  private @Nullable Body body;
  private @Nullable ByteArrayOutputStream written;

  RetryingRequest(HttpMethod method, URI uri, Wire wire, int limit) {
    this.method = method;
    this.uri = uri;
    this.wire = wire;
    this.limit = limit;
  }

  static int checkLimit(int bytes) {
    return Checks.within("keepBodiesUpTo", bytes, 0, 1 << 30);
  }

  @Override
  public HttpMethod getMethod() {
    return method;
  }

  @Override
  public URI getURI() {
    return uri;
  }

  @Override
  public void setBody(Body body) {
    assertNotExecuted();
    this.body = body;
  }

  // The body is in memory, whatever its length, if setBody was not called.
  @Override
  protected OutputStream getBodyInternal(HttpHeaders headers) {
    ByteArrayOutputStream known = written;
    if (known == null) {
      known = new ByteArrayOutputStream();
      written = known;
    }
    return known;
  }

  @Override
  protected ClientHttpResponse executeInternal(HttpHeaders headers) throws IOException {
    Consumer<RetryReport> reports = RetryAttributes.reportsIn(getAttributes());
    SpringAnswer answer;
    try {
      answer = exchange(head(headers));
    } catch (IOException | RuntimeException thrown) {
      RetryReport.of(thrown).ifPresent(reports);
      throw thrown;
    }
    try {
      reports.accept(answer.retryReport());
    } catch (Throwable thrown) {
      answer.close();
      throw thrown;
    }
    return answer;
  }

  private Wire.Head head(HttpHeaders headers) {
    return new Wire.Head(method, uri, headers, RetryAttributes.optionsIn(getAttributes()));
  }

  private SpringAnswer exchange(Wire.Head head) throws IOException {
    Body streamed = body;
    if (streamed == null) {
      ByteArrayOutputStream whole = written;
      return wire.send(head, whole == null ? null : whole.toByteArray());
    }
    return streamed.repeatable() ? repeatable(head, streamed) : once(head, streamed);
  }

  private SpringAnswer repeatable(Wire.Head head, Body streamed) throws IOException {
    RepeatableBody all = new RepeatableBody(streamed, head.headers().getContentLength());
    if (all.length() > limit) {
      return wire.send(head, all);
    }
    LimitedBody limited = LimitedBody.refusingMore(limit);
    try {
      streamed.writeTo(limited);
    } catch (Throwable thrown) {
      if (limited.refused()) {
        return wire.send(head, all);
      }
      throw thrown;
    }
    return whole(head, limited.bytes());
  }

  private SpringAnswer whole(Wire.Head head, byte[] bytes) throws IOException {
    long declared = head.headers().getContentLength();
    if (declared > 0 && declared != bytes.length) {
      throw RepeatableBody.otherLength(bytes.length, declared);
    }
    return wire.send(head, bytes);
  }

  private SpringAnswer once(Wire.Head head, Body streamed) throws IOException {
    LimitedBody limited = new LimitedBody(limit, () -> wire.begin(head));
    try {
      if (head.headers().getContentLength() > limit) {
        limited.passOn();
      }
      streamed.writeTo(limited);
    } catch (Throwable thrown) {
      return instead(limited, thrown);
    }
    Upload upload = limited.upload();
    if (upload == null) {
      return whole(head, limited.bytes());
    }
    limited.end(upload);
    return upload.await();
  }

  // If the writing failed because the request is over, the caller gets its answer or failure.
  private static <T extends Throwable> SpringAnswer instead(LimitedBody limited, Throwable thrown)
      throws IOException, T {
    Upload upload = limited.upload();
    if (upload != null && limited.refused()) {
      return upload.await();
    }
    if (upload != null) {
      upload.abort();
    }
    @SuppressWarnings("unchecked") // as it was thrown
    T same = (T) thrown;
    throw same;
  }
}
