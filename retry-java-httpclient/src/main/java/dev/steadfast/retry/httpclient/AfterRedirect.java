package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import dev.steadfast.retry.internal.ReportFigures;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * Finds effects that a redirect hides: a 4xx of its target says nothing of the request before it,
 * which may have been accepted. The client shows redirects with the whole response only, while
 * attempts are judged by the head.
 */
final class AfterRedirect {
  // Why it is like this: docs/decisions/redirects.md
  private AfterRedirect() {}

  /** Whether a request before that of this response may have had an effect. */
  static boolean hidesEffect(HttpResponse<?> response) {
    HttpResponse<?> prior = prior(response);
    while (prior != null) {
      if (AnswerProof.mayHaveHadEffect(prior.request().method(), prior.statusCode())) {
        return true;
      }
      prior = prior(prior);
    }
    return false;
  }

  /** The open question about the requests before that of this response. */
  static EarlierRequest earlierRequest(HttpResponse<?> response) {
    EarlierRequest earlier = EarlierRequest.NONE;
    HttpResponse<?> next = response;
    for (HttpResponse<?> prior = prior(next); prior != null; prior = prior(next)) {
      String method = prior.request().method();
      String after = next.request().method();
      earlier = earlier.and(EarlierRequest.before(prior.statusCode(), method, after));
      next = prior;
    }
    return earlier;
  }

  /** The report of an operation. Its outcome is unknown if the response hides an effect. */
  static @Nullable RetryReport told(@Nullable RetryReport report, HttpResponse<?> response) {
    return report != null && hidesEffect(response)
        ? ReportFigures.withOutcomeUnknown(report)
        : report;
  }

  private static @Nullable HttpResponse<?> prior(HttpResponse<?> response) {
    return response.previousResponse().orElse(null);
  }
}
