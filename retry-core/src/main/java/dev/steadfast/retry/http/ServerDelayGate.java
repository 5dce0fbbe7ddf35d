package dev.steadfast.retry.http;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.OriginTable;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Holds back operations to an origin that has just told one of them to wait.
 *
 * <p>The number of entries is limited. If the table is full, an entry that is over is removed. If
 * there is none, the new delay is not kept, so that no operation is held back because of another
 * origin.
 */
final class ServerDelayGate implements Guard {
  // An operation that is refused at the very end gets a delay of almost zero, and not "unknown".
  private static final long GRACE_NANOS = 1_000_000;

  private static final int OVERLOAD_SPREAD = 4; // a fourth of the time
  private static final long FIRST_OVERLOAD_NANOS = 1_000_000_000;
  private static final long MOST_OVERLOAD_NANOS = 3_000_000_000L;

  /** A gate that is shut. */
  private record Shut(long sinceNanos, long untilNanos, long spreadNanos) {
    long lengthNanos() {
      return untilNanos - sinceNanos;
    }

    boolean isLonger(Shut other) {
      return untilNanos - other.untilNanos() > 0;
    }
  }

  private volatile long learnedNanos; // when last: what is over by then makes room
  private final AtomicReference<@Nullable Shut> nobodys = new AtomicReference<>();
  private final OriginTable<AtomicReference<@Nullable Shut>> gates =
      new OriginTable<>(
          new OriginTable.Values<>() {
            @Override
            public AtomicReference<@Nullable Shut> create(String origin, boolean fresh) {
              return origin.equals(OriginTable.OVERFLOW) ? nobodys : new AtomicReference<>();
            }

            @Override
            public boolean forgettable(AtomicReference<@Nullable Shut> gate, boolean used) {
              Shut shut = gate.get(); // null while the first server delay is being learned
              return shut != null && leftNanos(shut, learnedNanos) <= -GRACE_NANOS;
            }
          });

  /** The guards of a configuration: the gate comes first, if there is one. */
  static List<Guard> before(@Nullable ServerDelayGate gate, List<Guard> guards) {
    List<Guard> all = new ArrayList<>(guards);
    if (gate != null) {
      all.add(0, gate);
    }
    return all;
  }

  /** Shuts the gate of an origin if its answer asks for it. */
  void learn(
      String origin, int status, ServerDelay serverDelay, RetryPolicy policy, long nowNanos) {
    if (status == 529 && !serverDelay.present()) {
      learnOverload(origin, nowNanos);
    }
    if ((status != 429 && status != 503 && status != 529) || !serverDelay.present()) {
      return;
    }
    Duration asked = serverDelay.delay().orElse(Duration.ZERO);
    Duration ceiling = policy.maxServerDelay();
    long nanos = (asked.compareTo(ceiling) > 0 ? ceiling : asked).toNanos();
    if (nanos == 0) {
      return;
    }
    long spread = Durations.spread(nanos, policy.serverDelaySpread());
    Shut next = new Shut(nowNanos, nowNanos + nanos, spread);
    shut(origin, nowNanos, old -> old == null || next.isLonger(old) ? next : old);
  }

  /**
   * The server is overloaded, and does not say for how long. Each time that it still is, the gate
   * is shut for twice as long.
   */
  private void learnOverload(String origin, long nowNanos) {
    shut(
        origin,
        nowNanos,
        old -> {
          if (old != null && nowNanos - old.untilNanos() < 0) {
            return old; // sent before it was shut
          }
          boolean still = old != null && nowNanos - old.untilNanos() <= old.lengthNanos();
          long length = still ? 2 * old.lengthNanos() : FIRST_OVERLOAD_NANOS;
          long nanos = Math.min(MOST_OVERLOAD_NANOS, length);
          return new Shut(nowNanos, nowNanos + nanos, nanos / OVERLOAD_SPREAD);
        });
  }

  private void shut(String origin, long nowNanos, UnaryOperator<@Nullable Shut> change) {
    learnedNanos = nowNanos;
    AtomicReference<@Nullable Shut> gate = gates.get(origin);
    if (!gate.equals(nobodys)) {
      gate.updateAndGet(change);
    }
  }

  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    long left = leftNanos(shut(operation), nowNanos);
    return left > -GRACE_NANOS ? Math.max(1, left) : 0;
  }

  @Override
  public long spreadNanos(OperationInfo operation, long nowNanos) {
    Shut shut = shut(operation);
    return shut != null && leftNanos(shut, nowNanos) > 0 ? shut.spreadNanos() : 0;
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    long left = leftNanos(shut(operation), nowNanos);
    if (left > 0) {
      throw new ServerDelayPendingException(Duration.ofNanos(left));
    }
    return Permit.none();
  }

  private @Nullable Shut shut(OperationInfo operation) {
    AtomicReference<@Nullable Shut> gate = gates.find(operation.origin());
    return gate == null ? null : gate.get();
  }

  private static long leftNanos(@Nullable Shut shut, long nowNanos) {
    return shut == null ? -GRACE_NANOS : shut.untilNanos() - nowNanos;
  }

  int size() {
    return gates.size();
  }

  @Override
  public String toString() {
    return "server delay gate";
  }
}
