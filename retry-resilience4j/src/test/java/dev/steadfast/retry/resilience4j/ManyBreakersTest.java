package dev.steadfast.retry.resilience4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** More origins than breakers are kept for. */
class ManyBreakersTest {
  private static final Guard.Failure LOST =
      new Guard.Failure(FailureKind.CONNECTION_LOST, true, 1, 1);
  private static final int MOST = 1024;

  private final AtomicLong nanos = new AtomicLong();
  private final CircuitBreakerRegistry registry =
      CircuitBreakerRegistry.of(
          CircuitBreakerConfig.custom()
              .slidingWindowSize(1)
              .minimumNumberOfCalls(1)
              .waitDurationInOpenState(Duration.ofSeconds(60))
              .currentTimestampFunction(clock -> nanos.get(), TimeUnit.NANOSECONDS)
              .build());
  private final Guard guard = Resilience4jGuards.circuitBreaker(registry);

  private void fail(String origin) {
    guard
        .acquire(OperationInfo.of(origin, "GET"), nanos.get())
        .failed(LOST, new IOException("dead"));
  }

  private void fillWithDeadOrigins() {
    for (int i = 0; i < MOST; i++) {
      fail("dead" + i);
    }
  }

  /** The last of enough newcomers to find out who is not in use. */
  private boolean theLastNewcomerHasABreakerOfItsOwn() {
    for (int i = 0; i < MOST; i++) {
      guard.admitsInNanos(OperationInfo.of("new" + i, "GET"), nanos.get());
    }
    return registry.find("new" + (MOST - 1)).isPresent();
  }

  @Test
  void openBreakersPastTheirWaitMakeRoom() {
    fillWithDeadOrigins();
    nanos.addAndGet(Duration.ofSeconds(61).toNanos());

    assertTrue(theLastNewcomerHasABreakerOfItsOwn());
    assertTrue(registry.getAllCircuitBreakers().size() <= MOST + 1);
  }

  @Test
  void openBreakersWithinTheirWaitStay() {
    fillWithDeadOrigins();
    nanos.addAndGet(Duration.ofSeconds(59).toNanos());

    assertFalse(theLastNewcomerHasABreakerOfItsOwn());
    for (int i = 0; i < MOST; i++) {
      assertEquals(CircuitBreaker.State.OPEN, registry.circuitBreaker("dead" + i).getState());
    }
  }

  @Test
  void breakersThatTheUserHasSwitchedByHandStay() {
    fillWithDeadOrigins();
    registry.circuitBreaker("dead7").transitionToForcedOpenState();
    nanos.addAndGet(Duration.ofSeconds(61).toNanos());

    assertTrue(theLastNewcomerHasABreakerOfItsOwn());
    assertEquals(CircuitBreaker.State.FORCED_OPEN, registry.circuitBreaker("dead7").getState());
  }
}
