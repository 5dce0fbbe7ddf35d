package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.CleanReport;
import org.apache.hc.core5.http.HttpResponse;

/** Reads the report that rides on a response of HttpClient. */
public final class Apache5Reports {
  // Every response of ours with this status or above carries a report, so one without is not ours.
  private static final int FIRST_FAILURE = 400;

  private Apache5Reports() {}

  /**
   * The report of the operation that ended with this response, also within a {@code
   * HttpClientResponseHandler}. {@link RetryReport#of(Throwable)} has the report of an exception.
   *
   * @param response a response of a client with retries, or a copy of one that an asynchronous
   *     client gave, as a {@code SimpleHttpResponse} is
   * @return its report; where the first attempt was accepted, the report of one clean attempt. A
   *     response below 400 that another client has made cannot be told from that one.
   * @throws IllegalArgumentException if the status is 400 or above and the response carries no
   *     report: another client has made it, or it answers an upgrade, which passes untouched
   * @throws NullPointerException if the response is null
   */
  public static RetryReport of(HttpResponse response) {
    Checks.notNull("response", response);
    RetryReport report = CarriedReport.of(response);
    if (report != null) {
      return report;
    }
    if (response.getCode() >= FIRST_FAILURE) {
      throw Checks.bad("response", response.getCode(), "one that a client with retries gave");
    }
    return CleanReport.of(null);
  }
}
