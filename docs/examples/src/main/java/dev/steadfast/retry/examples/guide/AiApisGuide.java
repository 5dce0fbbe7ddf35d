package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.StandardRules;
import java.time.Duration;

/** Snippets of the guides about APIs that charge for each answer. */
final class AiApisGuide {
  private AiApisGuide() {}

  static HttpRetry preset() {
    // region ai-preset
    StandardRules rules =
        StandardRules.forAiApis()
            .refusedBy(529, "overloaded_error") // your claim: Anthropic does not say so
            .build();
    HttpRetry retry = HttpRetry.forAiApis(Duration.ofMinutes(30)).classifier(rules).build();
    // endregion
    return retry;
  }

  static RetryOptions preset(int longestAnswer) {
    // region ai-preset-options
    RetryOptions prompt =
        RetryOptions.builder()
            .replayable(true) // a lost answer is asked for again, and may be billed again
            .paidRepeats(1)
            .cost(request ->
                request.body(1 << 20).map(body -> body.length / 4).orElse(1_000) + longestAnswer)
            .build();
    // endregion
    return prompt;
  }

  static HttpRetry firstEvent() {
    // region ai-first-event
    StandardRules rules =
        StandardRules.builder()
            .refusedBy(200, "overloaded_error") // the first event of a stream: not processed
            .neverRetry(200, "invalid_request_error")
            .build();
    HttpRetry retry = HttpRetry.builder().classifier(rules).build();
    // endregion
    return retry;
  }
}
