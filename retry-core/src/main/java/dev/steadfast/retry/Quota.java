package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import org.jspecify.annotations.Nullable;

/**
 * The state of one quota as an answer tells it: how much is left of it, and until when. Immutable.
 *
 * @param policy the quota
 * @param remaining the units that are left, 0 or more
 * @param leftNanos the time until the quota is whole again, in nanoseconds, 0 or more
 * @param resolutionNanos by how much that time may be wrong, in nanoseconds, 0 or more: a server
 *     that counts in seconds rounds it up or down
 */
public record Quota(Policy policy, long remaining, long leftNanos, long resolutionNanos) {

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if a number is negative
   * @throws NullPointerException if the policy is null
   */
  public Quota {
    Checks.notNull("policy", policy);
    notNegative("remaining", remaining);
    notNegative("leftNanos", leftNanos);
    notNegative("resolutionNanos", resolutionNanos);
  }

  private static void notNegative(String name, long value) {
    if (value < 0) {
      throw Checks.bad(name, value, "0 or more");
    }
  }

  /**
   * The quota that an answer speaks of. Immutable.
   *
   * @param name tells the quotas of one server apart
   * @param partition who shares the quota, such as an account; null if the server does not say
   * @param ofRequests true if each request costs one unit; false if the cost of a request is not
   *     known before its answer, as that of tokens or bytes
   * @param limit the units of a whole window; 0 if the server does not say
   * @param windowNanos the length of the window in nanoseconds; 0 if the server does not say
   */
  public record Policy(
      String name, @Nullable String partition, boolean ofRequests, long limit, long windowNanos) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a number is negative
     * @throws NullPointerException if the name is null
     */
    public Policy {
      Checks.notNull("name", name);
      notNegative("limit", limit);
      notNegative("windowNanos", windowNanos);
    }
  }
}
