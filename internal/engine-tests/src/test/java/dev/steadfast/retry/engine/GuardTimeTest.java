package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.testkit.FakeTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A guard that refuses until some time, on a machine so busy that the time passes meanwhile. */
class GuardTimeTest {
  private final FakeTime time = new FakeTime();

  /** Admits after 100 ms. The thread that it has refused gets no core until then. */
  private final class Gate implements Guard {
    private final long opensNanos = time.environment().ticker().getAsLong() + 100_000_000;
    private final CountingGuard permits = new CountingGuard();
    private int asked;

    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return Math.max(0, opensNanos - nowNanos);
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      asked++;
      if (opensNanos - nowNanos > 0) {
        time.advance(Duration.ofMillis(150));
        throw new IllegalStateException("not yet");
      }
      return permits.acquire(operation, nowNanos);
    }
  }

  @Test
  void whatItRefusesIsAdmittedAfterwards() throws Exception {
    Gate gate = new Gate();
    Retrier retrier = Retrier.builder().guard(gate).environment(time.environment()).build();
    assertEquals("admitted", retrier.call(() -> "admitted"));
    assertEquals(2, gate.asked);
  }

  @Test
  void soIsAsynchronousWork() throws Exception {
    Gate gate = new Gate();
    Retrier retrier = Retrier.builder().guard(gate).environment(time.environment()).build();
    CompletableFuture<String> result =
        retrier.callAsync(() -> CompletableFuture.completedFuture("admitted"));
    time.advance(Duration.ZERO);
    assertEquals("admitted", result.get(20, TimeUnit.SECONDS));
    assertEquals(2, gate.asked);
  }
}
