package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Digest;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The identity of an operation to listeners and in reports. Immutable; each operation with a
 * listener or a guard has an object of its own, so a listener may use it as a key.
 */
public final class OperationInfo {
  private final String origin;
  private final Supplier<String> label;
  private final @Nullable String name;
  private final @Nullable String idempotencyKey;
  private final int cost; // 0: not told

  private OperationInfo(
      String origin, Supplier<String> label, @Nullable String name, @Nullable String key) {
    this.origin = origin;
    this.label = label;
    this.name = name;
    this.idempotencyKey = key;
    this.cost = 0;
  }

  private OperationInfo(
      OperationInfo other, @Nullable String name, @Nullable String key, int cost) {
    this.origin = other.origin;
    this.label = other.label;
    this.name = name;
    this.idempotencyKey = key;
    this.cost = cost;
  }

  /**
   * An operation without a name or key.
   *
   * @param origin scheme, host and port; or a name for what is called, for work that is not HTTP
   * @param label what to show in logs: method, origin and path, and no secrets
   * @return the identification of one operation
   */
  public static OperationInfo of(String origin, String label) {
    Checks.notNull("label", label);
    return of(origin, () -> label);
  }

  /**
   * As {@link #of(String, String)}, with a label that is made each time it is shown.
   *
   * @param origin scheme, host and port
   * @param label makes what to show in logs; the same each time
   * @return the identification of one operation
   */
  public static OperationInfo of(String origin, Supplier<String> label) {
    return new OperationInfo(
        Checks.notNull("origin", origin), Checks.notNull("label", label), null, null);
  }

  /**
   * A copy with the name that the caller gave.
   *
   * @param name the name, null for none
   * @return a changed copy, or this
   */
  public OperationInfo withName(@Nullable String name) {
    return name == null && this.name == null
        ? this
        : new OperationInfo(this, name, idempotencyKey, cost);
  }

  /**
   * A copy with the key that all attempts carry.
   *
   * @param key the key, null for none
   * @return a changed copy, or this
   */
  public OperationInfo withKey(@Nullable String key) {
    return key == null && idempotencyKey == null ? this : new OperationInfo(this, name, key, cost);
  }

  /**
   * A copy with what an attempt is expected to cost.
   *
   * @param cost in the unit of the server's quota, such as tokens; 0 or more, 0 for unknown
   * @return a changed copy, or this
   * @throws IllegalArgumentException if it is negative
   */
  public OperationInfo withCost(int cost) {
    return Checks.atLeast("cost", cost, 0) == this.cost
        ? this
        : new OperationInfo(this, name, idempotencyKey, cost);
  }

  /** {@return the origin that the operation goes to: scheme, host and port} */
  public String origin() {
    return origin;
  }

  /** {@return the label in logs: method, origin and path, without query and user info} */
  public String label() {
    return label.get();
  }

  /** {@return the name that the caller gave to the operation, empty for none} */
  public Optional<String> name() {
    return Optional.ofNullable(name);
  }

  /**
   * {@return the idempotency key that all attempts carry, empty for none} Treat it as a secret:
   * {@link #toString} shows only eight digits of its hash.
   */
  public Optional<String> idempotencyKey() {
    return Optional.ofNullable(idempotencyKey);
  }

  /**
   * The expected cost of an attempt, in the unit of the server's quota, such as tokens.
   *
   * @return 1 or more, 0 if nobody has said
   */
  public int cost() {
    return cost;
  }

  @Override
  public String toString() {
    return (name == null ? "" : name + ": ")
        + label.get()
        + (idempotencyKey == null ? "" : " key#" + Digest.brief(idempotencyKey));
  }
}
