package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The key of an operation.
 *
 * @param header where it is written
 * @param key null for none
 * @param line as it stands in the request
 * @param added whether it is added to the request; false for one that the caller has written
 */
record OperationKey(String header, @Nullable String key, @Nullable String line, boolean added) {
  private static final OperationKey NONE = new OperationKey("", null, null, false);

  /** The key that the caller has written into the request. */
  static OperationKey written(IdempotencyKeys form, List<String> lines) {
    String key = form.read(checked(lines));
    if (key.length() > IdempotencyKeys.DEFAULT_MAX_LENGTH) {
      throw Checks.bad(
          "idempotency key",
          "of " + key.length() + " characters",
          "1 to " + IdempotencyKeys.DEFAULT_MAX_LENGTH);
    }
    return Checks.isBlank(key) ? NONE : new OperationKey(form.header(), key, lines.get(0), false);
  }

  private static String checked(List<String> lines) {
    if (lines.size() > 1) {
      throw Checks.bad("idempotency key header", lines.size() + " lines", "one");
    }
    Checks.secret(
        "idempotency key", lines.get(0), c -> !Character.isISOControl(c), "no control characters");
    return lines.get(0);
  }

  /** A key that is added to the request, null for none. */
  static OperationKey added(IdempotencyKeys form, @Nullable String key) {
    return key == null ? NONE : new OperationKey(form.header(), key, form.write(key), true);
  }

  boolean present() {
    return key != null;
  }

  /** What is added to the request, null for nothing. */
  @Nullable String addedLine() {
    return added ? line : null;
  }
}
