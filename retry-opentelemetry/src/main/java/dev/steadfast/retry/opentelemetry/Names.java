package dev.steadfast.retry.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import java.util.Locale;

/** The names of our events and attributes, which docs/telemetry.md lists. */
final class Names {
  static final String INSTRUMENTATION = "dev.steadfast.retry";

  /** An operation without a name of the caller's. */
  static final String OPERATION = "steadfast.operation";

  // An attribute of the span of an attempt.
  static final AttributeKey<String> KIND = AttributeKey.stringKey("steadfast.attempt.kind");
  static final AttributeKey<String> DISPOSITION =
      AttributeKey.stringKey("steadfast.attempt.disposition");

  // An event before each retry.
  static final String WAIT = "steadfast.wait";
  static final AttributeKey<Double> WAIT_SECONDS =
      AttributeKey.doubleKey("steadfast.wait.duration");
  static final AttributeKey<String> WAIT_WHY = AttributeKey.stringKey("steadfast.wait.why");

  // An event at the end, or attributes of the span of the operation.
  static final String END = "steadfast.end";
  static final AttributeKey<String> REASON = AttributeKey.stringKey("steadfast.reason");
  static final AttributeKey<Long> ATTEMPTS = AttributeKey.longKey("steadfast.attempts");
  static final AttributeKey<Boolean> OUTCOME_UNKNOWN =
      AttributeKey.booleanKey("steadfast.outcome_unknown");
  static final AttributeKey<Boolean> REPLAYED = AttributeKey.booleanKey("steadfast.replayed");

  static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

  private Names() {}

  static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
