package dev.steadfast.retry.engine;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.StopReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** Makes decisions; the frequent ones are the same objects each time. */
final class Decisions {
  private static final Map<DelayReason, RetryDecision.Retry> AT_ONCE =
      new EnumMap<>(DelayReason.class);
  private static final Map<StopReason, RetryDecision.Stop> STOPS = new EnumMap<>(StopReason.class);

  static {
    for (DelayReason why : DelayReason.values()) {
      AT_ONCE.put(why, new RetryDecision.Retry(0, why));
    }
    for (StopReason reason : StopReason.values()) {
      STOPS.put(reason, new RetryDecision.Stop(reason));
    }
  }

  private Decisions() {}

  static RetryDecision.Retry retry(long delayNanos, DelayReason why) {
    return delayNanos == 0
        ? Objects.requireNonNull(AT_ONCE.get(why))
        : new RetryDecision.Retry(delayNanos, why);
  }

  /** Whether the caller or its scheduler ended the operation, which says nothing of the server. */
  static boolean byCaller(StopReason reason) {
    return switch (reason) {
      case CANCELLED, INTERRUPTED, REJECTED -> true;
      default -> false;
    };
  }

  /** As {@link RetryState#gaveUp}. */
  static boolean gaveUp(StopReason reason, boolean serverSaysDoNotRetry, boolean retried) {
    return switch (reason) {
      case BUDGET_EXHAUSTED, GUARD_REFUSED, SERVER_DELAY_TOO_LONG -> true;
      case DO_NOT_RETRY -> serverSaysDoNotRetry;
      case ATTEMPTS_EXHAUSTED, DEADLINE -> serverSaysDoNotRetry || retried;
      default -> false;
    };
  }

  static RetryDecision.Stop stop(StopReason reason) {
    return Objects.requireNonNull(STOPS.get(reason));
  }
}
