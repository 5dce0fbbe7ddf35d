package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.ReportFigures;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What a redirect leaves unknown: a 4xx of its target tells nothing of a request that became a GET
 * on the way. The client shows redirects with the whole response only, and attempts are judged by
 * the head. So an earlier attempt that got a 4xx may have been redirected.
 */
final class AfterRedirect {
  private AfterRedirect() {}

  /** The report as it holds for the response. */
  static @Nullable RetryReport told(
      @Nullable RetryReport report, HttpResponse<?> response, HttpClient client) {
    if (report == null || client.followRedirects() == HttpClient.Redirect.NEVER) {
      return report;
    }
    boolean unknown = isAfterEffect(response) || (hasEffects(response) && refusedBefore(report));
    return unknown ? ReportFigures.withOutcomeUnknown(report) : report;
  }

  private static boolean isAfterEffect(HttpResponse<?> response) {
    HttpResponse<?> next = response;
    HttpResponse<?> prior = next.previousResponse().orElse(null);
    while (prior != null) {
      String method = prior.request().method();
      if (!method.equals(next.request().method())
          && HttpOperation.mayHaveHadEffect(method, prior.statusCode())) {
        return true;
      }
      next = prior;
      prior = next.previousResponse().orElse(null);
    }
    return false;
  }

  private static boolean hasEffects(HttpResponse<?> response) {
    HttpResponse<?> first = response;
    while (first.previousResponse().isPresent()) {
      first = first.previousResponse().get();
    }
    return HttpOperation.mayHaveHadEffect(first.request().method(), -1);
  }

  private static boolean refusedBefore(RetryReport report) {
    List<AttemptReport> attempts = report.attemptReports();
    return attempts.stream()
        .limit(Math.max(0, attempts.size() - 1))
        .map(AttemptReport::status)
        .flatMapToInt(OptionalInt::stream)
        .anyMatch(status -> status >= 400 && status <= 499);
  }
}
