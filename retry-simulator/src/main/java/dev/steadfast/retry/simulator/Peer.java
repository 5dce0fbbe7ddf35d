package dev.steadfast.retry.simulator;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The limits of Netflix's concurrency-limits, for comparison: as they are shipped, and with the
 * bounds of this library. Its algorithms alone; the attempts are counted here.
 */
enum Peer {
  AIMD("netflix-aimd", () -> AIMDLimit.newBuilder().build()),
  AIMD_FROM_ONE(
      "netflix-aimd-1",
      () ->
          AIMDLimit.newBuilder()
              .initialLimit(20)
              .minLimit(1)
              .maxLimit(200)
              .backoffRatio(0.5)
              .build()),
  GRADIENT("netflix-gradient", () -> Gradient2Limit.newBuilder().build()),
  GRADIENT_FROM_ONE("netflix-gradient-1", () -> Gradient2Limit.newBuilder().minLimit(1).build());

  private static final Set<FailureKind> LOSSES =
      Set.of(FailureKind.TIMEOUT, FailureKind.REFUSED_STREAM);

  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // each supplier makes limits, and keeps nothing
  private final Supplier<Limit> maker;

  Peer(String label, Supplier<Limit> maker) {
    this.label = label;
    this.maker = maker;
  }

  String label() {
    return label;
  }

  Guard guard() {
    return new Limited(maker.get());
  }

  /** The limit of one client. Confined to one thread, as all of the simulator. */
  private static final class Limited implements Guard {
    private final Limit limit;
    private int inFlight;

    Limited(Limit limit) {
      this.limit = limit;
    }

    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return 0;
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      if (inFlight >= limit.getLimit()) {
        throw new IllegalStateException("limit reached");
      }
      inFlight++;
      return new Held(nowNanos);
    }

    private final class Held implements Permit {
      private final long beganNanos;

      Held(long beganNanos) {
        this.beganNanos = beganNanos;
      }

      @Override
      public void succeeded(long elapsedNanos) {
        sample(elapsedNanos, false);
      }

      @Override
      public void failed(Failure how, Throwable failure) {
        if (LOSSES.contains(how.kind()) && how.conclusive()) {
          sample(how.elapsedNanos(), true);
        } else {
          released();
        }
      }

      @Override
      public void released() {
        inFlight--;
      }

      private void sample(long elapsedNanos, boolean dropped) {
        int before = inFlight--;
        limit.onSample(beganNanos, elapsedNanos, before, dropped);
      }
    }
  }
}
