package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.RetryReport;
import okhttp3.Response;

/** Reads the report that rides on an OkHttp response. */
public final class OkHttpReports {
  private OkHttpReports() {}

  /**
   * What happened to the operation that ended with this response. For an exception see {@link
   * RetryReport#of(Throwable)}.
   *
   * @param response a response of a retrying call
   * @return its report; the report of one clean attempt if it carries none
   */
  public static RetryReport of(Response response) {
    RetryReport report = response.request().tag(RetryReport.class);
    return report == null ? RetryReport.clean() : report;
  }
}
