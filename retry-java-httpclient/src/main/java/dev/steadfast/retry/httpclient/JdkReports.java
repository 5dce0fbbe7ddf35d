package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.CleanReport;
import java.net.http.HttpResponse;

/** Reads the report that rides on a {@code java.net.http} response. */
public final class JdkReports {
  private JdkReports() {}

  /**
   * What happened to the operation that ended with this response. For an exception see {@link
   * RetryReport#of(Throwable)}.
   *
   * @param response a response of a {@link RetryingHttpClient}
   * @return its report; the report of one clean attempt if it carries none, as does a response of
   *     another client
   */
  public static RetryReport of(HttpResponse<?> response) {
    return Checks.notNull("response", response) instanceof ReportedResponse<?> ours
        ? ours.retryReport()
        : CleanReport.of(null);
  }
}
