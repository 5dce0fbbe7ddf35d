package dev.steadfast.retry.engine;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.Verdict;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the failed attempts of an operation. Most operations have none. Confined to the same
 * thread as its {@link RetryState}.
 */
final class PastFailures {
  @Nullable Withdrawal withdrawal; // for the retry that was decided on or made
  short resent; // on a stale connection, once in a run: attempts beside maxAttempts
  private short kindsSeen; // a bit for each
  private int backoffs; // since the start, or since the last pushback
  private long previousBackoffNanos;

  /** Forgets the kinds seen, for another run. Returns a withdrawal that has to be settled. */
  @Nullable Withdrawal runsAgain() {
    Withdrawal held = withdrawal;
    withdrawal = null;
    kindsSeen = 0;
    return held;
  }

  /** Notes a kind of failure. Returns whether it was seen before. */
  @SuppressWarnings("EnumOrdinal") // a set of them that allocates nothing, for one operation
  boolean seen(FailureKind kind) {
    int bit = 1 << kind.ordinal();
    boolean seen = (kindsSeen & bit) != 0;
    kindsSeen = (short) (kindsSeen | bit);
    return seen;
  }

  RetryDecision.Retry delay(Verdict.Retryable failure, RetryPlan plan, long remainingNanos) {
    LongSupplier random = plan.environment().random();
    PolicyNanos nanos = plan.nanos();
    boolean pushback = failure.serverDelay().exact(); // gRFC A6: the next backoff starts over
    backoffs = pushback ? 0 : Math.max(backoffs, backoffs + 1); // stays at the largest int
    previousBackoffNanos =
        pushback ? 0 : nanos.backoff(failure.kind(), backoffs, previousBackoffNanos, random);
    return nanos.delay(failure.serverDelay(), previousBackoffNanos, remainingNanos, random);
  }
}
