package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryReport;
import java.io.IOException;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.ProtocolVersion;
import org.apache.hc.core5.http.message.HttpResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The protocol version of a response, which also carries the report of its operation. HttpClient
 * wraps the response of a blocking call, and a caller of an asynchronous client most often gets a
 * copy, as a {@code SimpleHttpResponse}: both show the version object of the original. A response
 * may have no header that could carry the report instead.
 */
final class CarriedReport extends ProtocolVersion {
  private static final long serialVersionUID = 1;

  private final transient @Nullable RetryReport report; // null: it was serialized

  private CarriedReport(ProtocolVersion plain, RetryReport report) {
    super(plain.getProtocol(), plain.getMajor(), plain.getMinor());
    this.report = report;
  }

  /** The report that a response or its copy carries. */
  static @Nullable RetryReport of(HttpResponse response) {
    return response.getVersion() instanceof CarriedReport carried ? carried.report : null;
  }

  /** A view of a response, of one of the two interfaces, that carries a report. */
  @SuppressWarnings("unchecked")
  static <R extends HttpResponse> R on(R response, RetryReport report) {
    return (R)
        (response instanceof ClassicHttpResponse classic
            ? new ClassicReported(classic, report)
            : new Reported(response, report));
  }

  /** The response itself stays as it is: a handler may give the same one to several calls. */
  private static class Reported extends HttpResponseWrapper {
    private ProtocolVersion version;

    Reported(HttpResponse response, RetryReport report) {
      super(response);
      ProtocolVersion plain = response.getVersion();
      this.version = new CarriedReport(plain == null ? HttpVersion.HTTP_1_1 : plain, report);
    }

    @Override
    public ProtocolVersion getVersion() {
      return version;
    }

    @Override
    public void setVersion(ProtocolVersion now) {
      version = now;
    }
  }

  private static final class ClassicReported extends Reported implements ClassicHttpResponse {
    private final ClassicHttpResponse response;

    ClassicReported(ClassicHttpResponse response, RetryReport report) {
      super(response, report);
      this.response = response;
    }

    @Override
    public @Nullable HttpEntity getEntity() {
      return response.getEntity();
    }

    @Override
    public void setEntity(@Nullable HttpEntity entity) {
      response.setEntity(entity);
    }

    @Override
    public void close() throws IOException {
      response.close();
    }
  }
}
