package dev.steadfast.retry.examples;

import dev.steadfast.retry.http.HttpRetry;
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

  static HttpRetry perAccount() {
    // region pacing-keyed
    QuotaPacing pacing =
        QuotaPacing.builder().keyedBy(operation -> operation.name().orElse(null)).build();
    HttpRetry retry = HttpRetry.builder().guard(pacing).build();
    // endregion
    return retry;
  }
}
