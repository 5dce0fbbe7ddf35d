package dev.steadfast.retry.spring.boot;

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
 * @param journal the journal
 */
@ConfigurationProperties(prefix = "steadfast", ignoreUnknownFields = false)
record SteadfastProperties(
    @DefaultValue Map<String, Client> clients,
    @Nullable String defaultClient,
    @DefaultValue Metrics metrics,
    @DefaultValue Scope scope,
    @DefaultValue JournalProperties journal) {

  /**
   * One client. The type of the budget is String: YAML makes a number of a value such as 0.2, and
   * Boot turns it back into a text.
   *
   * @param library the library that sends
   * @param policy the text form of a policy
   * @param budget retries per success, or {@code unlimited}
   * @param idempotency the form of the keys that are added
   * @param breaker whether a circuit breaker guards each origin
   * @param propagateTo origins that are told of the scope
   * @param ownsRetries whether those are told not to retry
   */
  record Client(
      @DefaultValue("jdk") Library library,
      @DefaultValue("") String policy,
      @DefaultValue("0.1") String budget,
      @DefaultValue("none") Keys idempotency,
      @DefaultValue("false") boolean breaker,
      @DefaultValue List<String> propagateTo,
      @DefaultValue("false") boolean ownsRetries) {}

  /** The library that sends. */
  enum Library {
    JDK("java.net.http"),
    OKHTTP("OkHttp"),
    APACHE("Apache HttpClient 5");

    private final String text;

    Library(String text) {
      this.text = text;
    }

    /** Its own name; Boot lists the constants as values of the property. */
    String text() {
      return text;
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
