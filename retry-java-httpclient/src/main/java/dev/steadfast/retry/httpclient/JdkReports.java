package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.Checks;
import java.net.http.HttpResponse;

/** Reads the report that rides on a {@code java.net.http} response. */
public final class JdkReports {
  private JdkReports() {}

  /**
   * The report of the operation that ended with this response. {@link RetryReport#of(Throwable)}
   * has the report of an exception.
   *
   * @param response a response of a {@link RetryingHttpClient}
   * @return its report
   * @throws IllegalArgumentException if the response is not of such a client, or was wrapped in
   *     another one since
   */
  public static RetryReport of(HttpResponse<?> response) {
    if (Checks.notNull("response", response) instanceof ReportedResponse<?> ours) {
      return ours.retryReport();
    }
    throw Checks.bad("response", response, "one that a RetryingHttpClient gave");
  }
}
