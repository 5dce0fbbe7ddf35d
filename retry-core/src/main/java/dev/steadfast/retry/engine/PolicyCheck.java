package dev.steadfast.retry.engine;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of a policy that contradicts itself. That is no error: a policy may be computed for each
 * call, and then an exception would break an application that has worked.
 */
final class PolicyCheck {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private PolicyCheck() {}

  static void warn(RetryPolicy policy) {
    policy.totalTimeout().ifPresent(total -> warn(policy, total));
  }

  private static void warn(RetryPolicy policy, Duration total) {
    String limit = Durations.print(total);
    if (policy.maxAttempts() > 1 && leastNanos(policy.backoff()) >= Durations.nanos(total)) {
      LOG.warn(
          "no retry is ever made: the first wait, {}, is not shorter than totalTimeout={}",
          policy.backoff(),
          limit);
    }
    for (Duration attempt : policy.attemptTimeouts()) {
      if (attempt.compareTo(total) > 0) {
        LOG.warn(
            "no attempt lasts so long: attemptTimeout={} is above totalTimeout={}",
            Durations.print(attempt),
            limit);
        return;
      }
    }
  }

  /** The least wait before the first retry; 0 if the user's strategy cannot say it. */
  private static long leastNanos(Backoff backoff) {
    try {
      // The lowest and the highest random number: a strategy may count from either end.
      return Math.min(backoff.delayNanos(1, 0, () -> 0), backoff.delayNanos(1, 0, () -> -1));
    } catch (Throwable broken) {
      return 0;
    }
  }
}
