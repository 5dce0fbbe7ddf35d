package dev.steadfast.retry.ordinary;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;

/** The configuration of a wrapped client. */
public enum Policy implements Scope {
  /** {@code HttpRetry.defaults()}. */
  DEFAULTS,
  /** The defaults, with keys: the one header that may be added, on POST and PATCH. */
  KEYS,
  /** One attempt, for programs that end in a failure. */
  ONCE;

  HttpRetry.Builder builder() {
    HttpRetry.Builder builder = HttpRetry.builder();
    return switch (this) {
      case DEFAULTS -> builder;
      case KEYS -> builder.idempotencyKeys(IdempotencyKeys.randomUuid());
      case ONCE -> builder.policy(RetryPolicy.noRetry());
    };
  }
}
