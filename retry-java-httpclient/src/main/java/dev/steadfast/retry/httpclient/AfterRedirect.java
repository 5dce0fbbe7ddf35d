package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import dev.steadfast.retry.internal.ReportFigures;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * The questions that a redirect leaves open: a 4xx of its target tells nothing of a request that
 * was accepted before. The client shows its redirects with the whole response only, while attempts
 * are judged by the head.
 */
final class AfterRedirect {
  // Why it is like this: docs/decisions/redirects.md
  private AfterRedirect() {}

  /** Whether a request before this response may have had an effect of which it tells nothing. */
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

  /** The state that the requests before the one of this response leave open. */
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

  /** The report of an operation, as it holds for its response. */
  static @Nullable RetryReport told(@Nullable RetryReport report, HttpResponse<?> response) {
    return report != null && hidesEffect(response)
        ? ReportFigures.withOutcomeUnknown(report)
        : report;
  }

  private static @Nullable HttpResponse<?> prior(HttpResponse<?> response) {
    return response.previousResponse().orElse(null);
  }
}
