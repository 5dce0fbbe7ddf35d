package dev.steadfast.retry.http;

import dev.steadfast.retry.FailureKind;
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
  private static final long PROBE_NANOS = 300_000_000; // until another attempt may pass
  private static final long FORGOTTEN_NANOS = 10_000_000_000L;
  private static final long FIRST_OVERLOAD_NANOS = 1_000_000_000;
  private static final long MOST_OVERLOAD_NANOS = 3_000_000_000L;

  /** A gate that is shut. */
  private record Shut(long untilNanos, long spreadNanos, long overloadNanos, boolean probed) {
    boolean isLonger(Shut other) {
      return untilNanos - other.untilNanos() > 0;
    }

    /** Whether the server was overloaded when last heard of, a short time ago. */
    boolean isOverload(long nowNanos) {
      return overloadNanos > 0 && nowNanos - untilNanos < FORGOTTEN_NANOS;
    }

    /** How long the gate is shut if the server is still overloaded. */
    long nextNanos(long nowNanos) {
      long next = isOverload(nowNanos) ? 2 * overloadNanos : FIRST_OVERLOAD_NANOS;
      return Math.min(MOST_OVERLOAD_NANOS, next);
    }
  }

  private volatile long learnedNanos; // the last time; gates open by then make room
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

  /**
   * An answer of a server.
   *
   * @param kind what the rules say that it means; null if it is accepted or was not judged
   * @param serverDelay what it asks for
   */
  record ServerAnswer(int status, @Nullable FailureKind kind, ServerDelay serverDelay) {
    private boolean throttled() {
      return kind == FailureKind.THROTTLED;
    }

    /** Whether it may shut the gate. */
    boolean mayShut() {
      return throttled() || status == 429 || status == 503 || status == 529;
    }

    /** Whether the server has too much to do, and does not say for how long. */
    private boolean overload() {
      return throttled() && status != 429 && !serverDelay.present();
    }
  }

  /** Shuts the gate of an origin if its answer asks for it. */
  void learn(String origin, ServerAnswer told, RetryPolicy policy, long nowNanos) {
    if (told.overload()) {
      learnOverload(origin, nowNanos);
    }
    if (!told.mayShut() || !told.serverDelay().present()) {
      return;
    }
    Duration asked = told.serverDelay().delay().orElse(Duration.ZERO);
    Duration ceiling = policy.maxServerDelay();
    long nanos = (asked.compareTo(ceiling) > 0 ? ceiling : asked).toNanos();
    if (nanos == 0) {
      return;
    }
    long spread = Durations.spread(nanos, policy.serverDelaySpread());
    Shut next = new Shut(nowNanos + nanos, spread, 0, false);
    shut(origin, nowNanos, old -> old == null || next.isLonger(old) ? next : old);
  }

  /**
   * The server is overloaded, and does not say for how long. One attempt may pass after a time; if
   * it is refused as well, the gate is shut for twice as long.
   */
  private void learnOverload(String origin, long nowNanos) {
    shut(
        origin,
        nowNanos,
        old -> {
          if (old != null && !old.probed() && nowNanos - old.untilNanos() < 0) {
            return old; // sent before it was shut
          }
          long nanos = old == null ? FIRST_OVERLOAD_NANOS : old.nextNanos(nowNanos);
          return new Shut(nowNanos + nanos, nanos / OVERLOAD_SPREAD, nanos, false);
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
    AtomicReference<@Nullable Shut> gate = gates.find(operation.origin());
    Shut shut = gate == null ? null : gate.get();
    if (gate == null || shut == null) {
      return Permit.none();
    }
    long left = leftNanos(shut, nowNanos);
    if (left <= 0 && !shut.isOverload(nowNanos)) {
      return Permit.none();
    }
    Shut probed = new Shut(nowNanos + PROBE_NANOS, 0, shut.overloadNanos(), true);
    if (left > 0 || !gate.compareAndSet(shut, probed)) {
      throw new ServerDelayPendingException(Duration.ofNanos(Math.max(left, GRACE_NANOS)));
    }
    return new Probe(gate);
  }

  /** An attempt that shows whether the server is still overloaded. */
  private record Probe(AtomicReference<@Nullable Shut> gate) implements Permit {
    @Override
    public void succeeded(long elapsedNanos) {
      gate.updateAndGet(shut -> shut != null && shut.probed() ? null : shut);
    }

    @Override
    public void failed(Failure how, Throwable failure) {}

    @Override
    public void released() {}
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
