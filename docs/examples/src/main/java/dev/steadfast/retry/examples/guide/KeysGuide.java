package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.UUID;

/** What the guides show of idempotency keys. */
final class KeysGuide {
  private KeysGuide() {}

  static HttpRetry random() {
    HttpRetry retry = HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    return retry;
  }

  static RetryOptions business(String user, String orderId) {
    RetryOptions options =
        RetryOptions.builder()
            .idempotencyKey(IdempotencyKeys.composite(user, orderId, "payment"))
            .build();
    return options;
  }

  static IdempotencyKeys fromRequest() {
    IdempotencyKeys keys =
        IdempotencyKeys.from(request ->
            request.headers("X-Message-Id").stream()
                .findFirst()
                .orElseGet(() -> UUID.randomUUID().toString()));
    return keys;
  }

  static IdempotencyKeys[] hashes() {
    IdempotencyKeys forEver = IdempotencyKeys.requestHash("X-Account");
    IdempotencyKeys forAMinute =
        IdempotencyKeys.requestHashWithin(Duration.ofMinutes(1), "X-Account");
    return new IdempotencyKeys[] {forEver, forAMinute};
  }

  static IdempotencyKeys[] forms() {
    // region keys-forms
    IdempotencyKeys stripe = IdempotencyKeys.stripe(); // Idempotency-Key: 8e03978e-40d5-...
    IdempotencyKeys draft = IdempotencyKeys.ietfDraft(); // Idempotency-Key: "8e03978e-40d5-..."
    IdempotencyKeys payPal = IdempotencyKeys.payPal(); // PayPal-Request-Id: 8e03978e-40d5-...
    IdempotencyKeys own =
        IdempotencyKeys.randomUuid().withHeader("X-Request-Key").withMaxLength(64);
    // endregion
    return new IdempotencyKeys[] {stripe, draft, payPal, own};
  }

  static IdempotencyKeys[] otherMethods() {
    IdempotencyKeys onEach = IdempotencyKeys.randomUuid().withEveryMethod();
    IdempotencyKeys onSome = IdempotencyKeys.randomUuid().withMethods("POST", "PATCH", "PUT");
    IdempotencyKeys storage = IdempotencyKeys.googleCloudStorage(); // on every method
    return new IdempotencyKeys[] {onEach, onSome, storage};
  }

  static HttpRetry oncePerOperation() {
    DateTimeFormatter httpDate = DateTimeFormatter.RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC);
    HttpRetry retry =
        HttpRetry.builder()
            .idempotencyKeys(IdempotencyKeys.repeatableRequests())
            .oncePerOperation(
                "Repeatability-First-Sent",
                (request, startedAt) -> Optional.of(httpDate.format(startedAt)))
            .build();
    return retry;
  }
}
