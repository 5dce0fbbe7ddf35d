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

  /** A gate that is shut. */
  private record Shut(long untilNanos, long spreadNanos) {}

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
    if ((status != 429 && status != 503) || !serverDelay.present()) {
      return;
    }
    Duration asked = serverDelay.delay().orElse(Duration.ZERO);
    Duration ceiling = policy.maxServerDelay();
    long nanos = (asked.compareTo(ceiling) > 0 ? ceiling : asked).toNanos();
    if (nanos == 0) {
      return;
    }
    long spread = Durations.spread(nanos, policy.serverDelaySpread());
    Shut next = new Shut(nowNanos + nanos, spread);
    learnedNanos = nowNanos;
    AtomicReference<@Nullable Shut> gate = gates.get(origin);
    if (!gate.equals(nobodys)) {
      gate.accumulateAndGet(
          next,
          (old, added) -> old == null || added.untilNanos() - old.untilNanos() > 0 ? added : old);
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
