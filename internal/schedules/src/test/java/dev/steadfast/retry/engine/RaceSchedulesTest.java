package dev.steadfast.retry.engine;

import dev.steadfast.retry.limit.Schedules;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client, a rejected timer and a canceller meet at one attempt. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RaceSchedulesTest {
  /** The attempt ends once and is handed over once in each schedule, and no end is lost. */
  public static class Ends extends Racing {
    @org.jetbrains.lincheck.datastructures.Operation
    public void complete() {
      race.complete(null, new IOException("broken"));
      asked = true;
    }

    @org.jetbrains.lincheck.datastructures.Operation
    public void reject() {
      race.end(Phase.REJECTED, new IOException("no timer"));
      asked = true;
    }
  }

  /** An attempt is stopped on the wire, whether it ends before or after it can be. */
  public static class Stops extends Racing {
    private final AtomicInteger stops = new AtomicInteger();
    private volatile boolean stoppable;

    @org.jetbrains.lincheck.datastructures.Operation
    public void reject() {
      race.end(Phase.REJECTED, new IOException("no timer"));
      asked = true;
    }

    @org.jetbrains.lincheck.datastructures.Operation(nonParallelGroup = "client")
    public void passOn() {
      race.onCancel(stops::incrementAndGet);
      stoppable = true;
    }

    @Override
    boolean isStopped() {
      return !asked || !stoppable || stops.get() > 0;
    }
  }

  /** The ways in which the attempt ends. */
  public abstract static class Racing {
    private final AtomicInteger ends = new AtomicInteger();
    private final AtomicInteger handedOver = new AtomicInteger();
    volatile boolean asked;
    final AttemptSettlement<String> race =
        new AttemptSettlement<>(Phase.RUNNING) {
          @Override
          Operation<String> operation() {
            throw new AssertionError("not needed here");
          }

          @Override
          public int number() {
            return 1;
          }

          @Override
          boolean waits() {
            return false;
          }

          @Override
          boolean sendingBody() {
            return false;
          }

          @Override
          long leftNanos(Phase open, long nowNanos) {
            return Long.MAX_VALUE;
          }

          @Override
          public void userCodeFailed(Throwable thrown) {
            throw new AssertionError(thrown);
          }

          @Override
          void endedWith(String response, Throwable failure) {
            ends.incrementAndGet();
          }

          @Override
          void handOver() {
            handedOver.incrementAndGet();
          }
        };

    boolean isStopped() {
      return true;
    }

    @Validate
    public void endsOnce() {
      int expected = asked ? 1 : 0;
      boolean once = ends.get() == expected && handedOver.get() == expected;
      if (!once || !isStopped() || race.phase().settled() != asked) {
        throw new IllegalStateException(
            race.phase() + " after " + ends + " ends, handed over " + handedOver + " times");
      }
    }
  }

  @Test
  void noScheduleEndsAnAttemptTwice() {
    Schedules.checkPairs(Ends.class);
  }

  @Test
  void noScheduleLeavesAnEndedAttemptOnTheWire() {
    Schedules.checkPairs(Stops.class);
  }
}
