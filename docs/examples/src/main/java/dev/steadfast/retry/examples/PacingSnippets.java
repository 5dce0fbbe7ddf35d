package dev.steadfast.retry.examples;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.limit.QuotaPacing;

/** What the page about pacing shows. */
final class PacingSnippets {
  private PacingSnippets() {}

  static HttpRetry perOrigin() {
    // region pacing
    HttpRetry retry = HttpRetry.builder().guard(QuotaPacing.perOrigin()).build();
    // endregion
    return retry;
  }

  static RetryOptions byCost() {
    // region pacing-cost
    RetryOptions prompt =
        RetryOptions.builder()
            .cost(request -> request.body(1 << 20).map(body -> body.length / 4).orElse(1_000) + 500)
            .build();
    // endregion
    return prompt;
  }
}
