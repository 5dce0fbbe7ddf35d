package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.StandardRules;

/** What the page on effectively-once says to the client, for each kind of server. */
public final class EffectivelyOnceGuide {
  private EffectivelyOnceGuide() {}

  /** For a server that carries a request out once, without an idempotency key. */
  public static RetryOptions onceWithoutKey() {
    RetryOptions once = RetryOptions.builder().replayable(true).build();
    return once;
  }

  /** For a server that answers a repetition with 429. */
  public static HttpRetry.Builder duplicateFilter() {
    HttpRetry.Builder retry =
        HttpRetry.builder()
            .classifier(StandardRules.builder().neverRetry(429).build()); // means "came before"
    return retry;
  }
}
