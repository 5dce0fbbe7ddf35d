package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.IdempotencyKeys;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties.
 *
 * @param clients the clients that retry, by name
 * @param defaultClient the client that all builders of Boot get; null for none
 * @param metrics meters
 * @param scope the scope of inbound requests
 */
@ConfigurationProperties(prefix = "steadfast", ignoreUnknownFields = false)
record SteadfastProperties(
    @DefaultValue Map<String, Client> clients,
    @Nullable String defaultClient,
    @DefaultValue Metrics metrics,
    @DefaultValue Scope scope) {

  /**
   * One client.
   *
   * @param library what sends
   * @param policy the text form of a policy
   * @param budget retries per success, or {@code unlimited}
   * @param idempotency whose keys are added
   * @param breaker whether a circuit breaker guards each origin
   * @param propagateTo origins that are told of the scope
   * @param ownsRetries whether those are told not to retry
   */
  record Client(
      @DefaultValue("jdk") Library library,
      @DefaultValue("") RetryPolicy policy,
      @DefaultValue("0.1") Budget budget,
      @DefaultValue("none") Keys idempotency,
      @DefaultValue("false") boolean breaker,
      @DefaultValue List<String> propagateTo,
      @DefaultValue("false") boolean ownsRetries) {}

  /** What sends. */
  enum Library {
    JDK,
    OKHTTP
  }

  /** The budget of one client. */
  record Budget(RetryBudget budget) {
    /** Called by Spring. */
    public static Budget valueOf(String text) {
      if (text.trim().equals("unlimited")) {
        return new Budget(RetryBudget.unlimited());
      }
      double ratio;
      try {
        ratio = Double.parseDouble(text.trim());
      } catch (NumberFormatException noNumber) {
        throw new IllegalArgumentException(
            "budget: " + text + " (expected: retries per success, 0 to 10, or unlimited)");
      }
      return new Budget(RetryBudget.perOrigin(ratio));
    }
  }

  /** The forms of keys that need no code. */
  enum Keys {
    NONE,
    RANDOM_UUID,
    IETF_DRAFT,
    STRIPE,
    ADYEN,
    PAY_PAL,
    CHECKOUT_COM,
    WORLDLINE,
    PPRO,
    REPEATABLE_REQUESTS,
    GOOGLE_CLOUD_STORAGE;

    /** The keys, null for none. */
    @Nullable IdempotencyKeys keys() {
      return switch (this) {
        case NONE -> null;
        case RANDOM_UUID -> IdempotencyKeys.randomUuid();
        case IETF_DRAFT -> IdempotencyKeys.ietfDraft();
        case STRIPE -> IdempotencyKeys.stripe();
        case ADYEN -> IdempotencyKeys.adyen();
        case PAY_PAL -> IdempotencyKeys.payPal();
        case CHECKOUT_COM -> IdempotencyKeys.checkoutCom();
        case WORLDLINE -> IdempotencyKeys.worldline();
        case PPRO -> IdempotencyKeys.ppro();
        case REPEATABLE_REQUESTS -> IdempotencyKeys.repeatableRequests();
        case GOOGLE_CLOUD_STORAGE -> IdempotencyKeys.googleCloudStorage();
      };
    }
  }

  record Metrics(@DefaultValue("true") boolean enabled) {}

  record Scope(@DefaultValue("false") boolean enabled) {}
}
