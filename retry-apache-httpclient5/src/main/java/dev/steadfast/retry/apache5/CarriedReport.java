package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryReport;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.ProtocolVersion;
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

  static void put(HttpResponse response, RetryReport report) {
    ProtocolVersion plain = response.getVersion();
    response.setVersion(new CarriedReport(plain == null ? HttpVersion.HTTP_1_1 : plain, report));
  }

  /** The report that a response or its copy carries. */
  static @Nullable RetryReport of(HttpResponse response) {
    return response.getVersion() instanceof CarriedReport carried ? carried.report : null;
  }
}
