package dev.steadfast.retry.http;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.HeldBackException;
import dev.steadfast.retry.Hint;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Holds back operations to an origin that has just told one of them to wait.
 *
 * <p>What is learned is bounded in number; where there is no room it is not kept, so that nobody is
 * held back for the sake of another origin.
 */
final class HintGate implements Guard {
  static final int MOST_ORIGINS = 1024;

  private static final long MOST_SPREAD_NANOS = 10_000_000_000L;
  // Who was refused at the last instant is told to come at once, and not that nothing is known.
  private static final long GRACE_NANOS = 1_000_000;

  private static final Permit NOTHING_HELD =
      new Permit() {
        @Override
        public void succeeded(long elapsedNanos) {}

        @Override
        public void failed(long elapsedNanos, Throwable failure) {}

        @Override
        public void released() {}
      };

  /** A gate that is shut. */
  private record Shut(long untilNanos, long spreadNanos) {}

  private final LongSupplier ticker;
  private final Map<String, Shut> gates = new ConcurrentHashMap<>();

  HintGate(LongSupplier ticker) {
    this.ticker = ticker;
  }

  /** Shuts the gate of an origin if its answer asks for it. */
  void learn(String origin, int status, Hint hint, RetryPolicy policy) {
    if ((status != 429 && status != 503) || !hint.present()) {
      return;
    }
    Duration asked = hint.delay().orElse(Duration.ZERO);
    Duration ceiling = policy.hintCeiling();
    long nanos = (asked.compareTo(ceiling) > 0 ? ceiling : asked).toNanos();
    if (nanos == 0) {
      return;
    }
    long now = ticker.getAsLong();
    if (gates.size() >= MOST_ORIGINS && !gates.containsKey(origin)) {
      gates.values().removeIf(shut -> shut.untilNanos() - now <= 0);
      if (gates.size() >= MOST_ORIGINS) {
        return;
      }
    }
    double spread = Math.min(nanos * policy.hintSpread(), MOST_SPREAD_NANOS);
    Shut next = new Shut(now + nanos, (long) spread);
    gates.merge(
        origin, next, (old, added) -> added.untilNanos() - old.untilNanos() > 0 ? added : old);
  }

  @Override
  public long admitsInNanos(OperationInfo operation) {
    long left = leftNanos(operation);
    return left > -GRACE_NANOS ? Math.max(1, left) : 0;
  }

  @Override
  public long spreadNanos(OperationInfo operation) {
    Shut shut = gates.get(operation.origin());
    return shut != null && leftNanos(operation) > 0 ? shut.spreadNanos() : 0;
  }

  @Override
  public Permit acquire(OperationInfo operation) {
    long left = leftNanos(operation);
    if (left > 0) {
      throw new HeldBackException(Duration.ofNanos(left));
    }
    return NOTHING_HELD;
  }

  private long leftNanos(OperationInfo operation) {
    Shut shut = gates.get(operation.origin());
    if (shut == null) {
      return -GRACE_NANOS;
    }
    long left = shut.untilNanos() - ticker.getAsLong();
    if (left <= -GRACE_NANOS) {
      gates.remove(operation.origin(), shut);
    }
    return left;
  }

  int size() {
    return gates.size();
  }

  @Override
  public String toString() {
    return "hint gate";
  }
}
