package dev.steadfast.retry.resilience4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.testkit.FakeTime;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.core.registry.EntryAddedEvent;
import io.github.resilience4j.core.registry.EntryRemovedEvent;
import io.github.resilience4j.core.registry.EntryReplacedEvent;
import io.github.resilience4j.core.registry.RegistryEventConsumer;
import java.io.IOException;
import java.net.SocketException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The breaker in the loop: when it ends an operation, when it is waited for, what it keeps. */
class BreakerGuardTest {
  private static final Guard.Failure LOST =
      new Guard.Failure(FailureKind.CONNECTION_LOST, true, 1, 1);
  private static final OperationInfo INFO = OperationInfo.of("db", "db");

  private final FakeTime time = new FakeTime();
  private final AtomicInteger calls = new AtomicInteger();

  private final Callable<String> failing =
      () -> {
        calls.incrementAndGet();
        throw new IOException("down");
      };

  /** Opens after two failures of two, for 10 seconds of the fake time. */
  private CircuitBreakerConfig.Builder config() {
    return timed().waitDurationInOpenState(Duration.ofSeconds(10));
  }

  private CircuitBreakerConfig.Builder timed() {
    Clock clock =
        new Clock() {
          @Override
          public ZoneId getZone() {
            return ZoneOffset.UTC;
          }

          @Override
          public Clock withZone(ZoneId zone) {
            return this;
          }

          @Override
          public Instant instant() {
            return time.instant();
          }
        };
    return CircuitBreakerConfig.custom()
        .slidingWindowSize(2)
        .minimumNumberOfCalls(2)
        .permittedNumberOfCallsInHalfOpenState(1)
        .clock(clock)
        .currentTimestampFunction(unused -> time.nanos(), TimeUnit.NANOSECONDS);
  }

  private Retrier.Builder retrier(Guard guard) {
    return Retrier.builder()
        .name("db")
        .environment(time.environment())
        .listener(time.skipWaits())
        .budget(RetryBudget.unlimited())
        .policy(
            RetryPolicy.builder()
                .maxAttempts(5)
                .backoff(Backoff.fixed(Duration.ofSeconds(1)))
                .totalTimeout(Duration.ofSeconds(30))
                .build())
        .guard(guard);
  }

  private static RetryReport report(Throwable thrown) {
    return RetryReport.of(thrown).orElseThrow();
  }

  @Test
  void aBreakerThatOpens_endsTheOperationWithTheLastFailure_andWithoutAWait() {
    Retrier retrier = retrier(Resilience4jGuards.circuitBreaker(config().build())).build();
    Exception thrown = assertThrows(IOException.class, () -> retrier.call(failing));
    assertEquals("down", thrown.getMessage());
    assertEquals(2, calls.get());
    assertEquals(StopReason.GUARD_REFUSED, report(thrown).reason());
    assertEquals(Duration.ofSeconds(1), report(thrown).waited());
  }

  @Test
  void anOpenBreaker_refusesTheNextOperationAtOnce() {
    Retrier retrier = retrier(Resilience4jGuards.circuitBreaker(config().build())).build();
    assertThrows(IOException.class, () -> retrier.call(failing));
    AttemptRefusedException refused =
        assertThrows(AttemptRefusedException.class, () -> retrier.call(() -> "up"));
    assertInstanceOf(CallNotPermittedException.class, refused.getCause());
    assertEquals(0, report(refused).attempts());
    assertEquals(2, calls.get());
    time.advance(Duration.ofMillis(10_001));
    assertEquals("up", assertSucceeds(retrier));
  }

  private static String assertSucceeds(Retrier retrier) {
    try {
      return retrier.call(() -> "up");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void onRequest_anOperationWaitsUntilTheBreakerIsHalfOpen() throws Exception {
    Retrier retrier =
        retrier(Resilience4jGuards.circuitBreaker(config().build()).waitingForHalfOpen()).build();
    long start = time.nanos();
    String result =
        retrier.call(() -> {
          if (calls.incrementAndGet() <= 2) {
            throw new IOException("down");
          }
          return "up";
        });
    assertEquals("up", result);
    assertEquals(3, calls.get());
    // One backoff, and the breaker's 10 s with a millisecond to spare.
    assertEquals(Duration.ofMillis(11_001), Duration.ofNanos(time.nanos() - start));
  }

  @Test
  void onRequest_aNewOperationWaitsToo_butNotBeyondItsDeadline() throws Exception {
    Guard guard = Resilience4jGuards.circuitBreaker(config().build()).waitingForHalfOpen();
    RetryPolicy two = RetryPolicy.builder().maxAttempts(2).backoff(Backoff.none()).build();
    Retrier opening = retrier(guard).policy(two).build();
    assertThrows(IOException.class, () -> opening.call(failing));

    RetryPolicy brief = two.toBuilder().totalTimeout(Duration.ofSeconds(9)).build();
    AttemptRefusedException refused =
        assertThrows(
            AttemptRefusedException.class,
            () -> retrier(guard).policy(brief).build().call(() -> "up"));
    assertEquals(Duration.ZERO, report(refused).waited());

    long start = time.nanos();
    assertEquals("up", retrier(guard).build().call(() -> "up"));
    assertEquals(Duration.ofMillis(10_001), Duration.ofNanos(time.nanos() - start));
  }

  @Test
  void aWaitThatIsUnknown_isNotBegun() {
    CircuitBreakerConfig growing =
        timed()
            .waitIntervalFunctionInOpenState(
                IntervalFunction.ofExponentialBackoff(Duration.ofSeconds(1), 2))
            .build();
    CircuitBreakerGuard exponential =
        Resilience4jGuards.circuitBreaker(growing).waitingForHalfOpen();
    assertThrows(IOException.class, () -> retrier(exponential).build().call(failing));
    assertEquals(2, calls.get());

    // Opened before this guard could see it.
    CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config().build());
    registry.circuitBreaker("db").transitionToOpenState();
    CircuitBreakerGuard late = Resilience4jGuards.circuitBreaker(registry).waitingForHalfOpen();
    assertEquals(Guard.NEVER, late.admitsInNanos(INFO, 0));

    registry.circuitBreaker("db").transitionToForcedOpenState();
    assertEquals(Guard.NEVER, late.admitsInNanos(INFO, 0));
    registry.circuitBreaker("db").transitionToDisabledState();
    assertEquals(0, late.admitsInNanos(INFO, 0));
  }

  @Test
  void ourClassificationDecides_notThePredicatesOfTheConfiguration() {
    CircuitBreakerConfig socketsOnly =
        config()
            .recordExceptions(SocketException.class)
            .ignoreExceptions(IOException.class)
            .build();
    Retrier own = retrier(Resilience4jGuards.circuitBreaker(socketsOnly)).build();
    assertThrows(IOException.class, () -> own.call(failing));
    assertEquals(2, calls.get());
  }

  @Test
  void inTheUsersRegistry_hisPredicatesDecide_andHisViewsShowIt() {
    CircuitBreakerRegistry registry =
        CircuitBreakerRegistry.of(config().recordExceptions(SocketException.class).build());
    AtomicInteger events = new AtomicInteger();
    registry
        .getEventPublisher()
        .onEntryAdded(added ->
            added.getAddedEntry().getEventPublisher().onSuccess(e -> events.incrementAndGet()));
    Retrier retrier = retrier(Resilience4jGuards.circuitBreaker(registry)).build();
    assertThrows(IOException.class, () -> retrier.call(failing));
    assertEquals(5, calls.get());
    assertEquals(5, events.get());
    CircuitBreaker breaker = registry.find("db").orElseThrow();
    assertEquals(2, breaker.getMetrics().getNumberOfSuccessfulCalls());
  }

  @Test
  void aSlowCallIsMeasuredByTheBreakersClock() {
    CircuitBreakerRegistry registry =
        CircuitBreakerRegistry.of(
            config().slowCallDurationThreshold(Duration.ofSeconds(2)).build());
    Retrier retrier = retrier(Resilience4jGuards.circuitBreaker(registry)).build();
    for (int seconds : new int[] {1, 3}) {
      assertEquals(
          seconds,
          assertCall(
              retrier,
              () -> {
                time.advance(Duration.ofSeconds(seconds));
                return seconds;
              }));
    }
    CircuitBreaker.Metrics metrics = registry.circuitBreaker("db").getMetrics();
    assertEquals(1, metrics.getNumberOfSlowCalls());
    assertEquals(2, metrics.getNumberOfSuccessfulCalls());
  }

  private static <T> T assertCall(Retrier retrier, Callable<T> work) {
    try {
      return retrier.call(work);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void keysAreTheUsers() {
    CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config().build());
    Guard guard =
        Resilience4jGuards.circuitBreaker(registry).keyedBy(info -> info.name().orElse("none"));
    guard.acquire(INFO.withName("a"), 0).succeeded(1);
    guard.acquire(INFO.withName("b"), 0).succeeded(1);
    guard.acquire(INFO, 0).succeeded(1);
    assertEquals(3, registry.getAllCircuitBreakers().size());
    assertTrue(registry.find("none").isPresent());
    Guard broken =
        Resilience4jGuards.circuitBreaker(registry).keyedBy(info -> info.name().orElse(null));
    assertThrows(NullPointerException.class, () -> broken.acquire(INFO, 0));
  }

  @Test
  void breakersAreBoundedInNumber_andTheUsersOwnStay() {
    CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config().build());
    CircuitBreaker own = registry.circuitBreaker("own");
    Guard guard = Resilience4jGuards.circuitBreaker(registry);
    guard.acquire(OperationInfo.of("own", "own"), 0).succeeded(1);
    for (int i = 0; i < 10_000; i++) {
      guard.acquire(OperationInfo.of("h" + i, "h"), 0).succeeded(1);
    }
    assertTrue(
        registry.getAllCircuitBreakers().size() <= 1025,
        () -> "breakers: " + registry.getAllCircuitBreakers().size());
    assertSame(own, registry.find("own").orElseThrow());
    assertEquals(1, own.getMetrics().getNumberOfBufferedCalls());
  }

  @Test
  void anOpenBreakerIsNotForgotten() {
    CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config().build());
    Guard guard = Resilience4jGuards.circuitBreaker(registry);
    for (int i = 0; i < 2; i++) {
      guard.acquire(INFO, 0).failed(LOST, new IOException("down"));
    }
    for (int i = 0; i < 5_000; i++) {
      guard.acquire(OperationInfo.of("h" + i, "h"), 0).succeeded(1);
    }
    assertEquals(Guard.NEVER, guard.admitsInNanos(INFO, 0));
    assertThrows(CallNotPermittedException.class, () -> guard.acquire(INFO, 0));
  }

  @Test
  void aPredicateThatThrows_losesNoPermissionOfAHalfOpenBreaker() {
    CircuitBreakerRegistry registry =
        CircuitBreakerRegistry.of(
            config()
                .recordException(failure -> {
                  throw new IllegalStateException("the user's");
                })
                .build());
    CircuitBreaker breaker = registry.circuitBreaker("db");
    breaker.transitionToOpenState();
    breaker.transitionToHalfOpenState();
    Guard guard = Resilience4jGuards.circuitBreaker(registry);
    for (int i = 0; i < 10; i++) {
      Guard.Permit permit = guard.acquire(INFO, 0);
      assertThrows(IllegalStateException.class, () -> permit.failed(LOST, new IOException("down")));
    }
    assertEquals(CircuitBreaker.State.HALF_OPEN, breaker.getState());
  }

  @Test
  void aPermitFromBeforeTheHalfOpenTime_givesItNoPermissionMore() {
    CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config().build());
    CircuitBreaker breaker = registry.circuitBreaker("db");
    Guard guard = Resilience4jGuards.circuitBreaker(registry);
    Guard.Permit old = guard.acquire(INFO, 0);
    breaker.transitionToOpenState();
    breaker.transitionToHalfOpenState();
    old.released();
    Guard.Permit probe = guard.acquire(INFO, 0);
    assertFalse(breaker.tryAcquirePermission());
    probe.released();
    assertNotSame(probe, guard.acquire(INFO, 0));
  }

  @Test
  void aRegistryConsumerThatThrows_endsTheOperation_andHoldsNothing() {
    RegistryEventConsumer<CircuitBreaker> hostile =
        new RegistryEventConsumer<>() {
          @Override
          public void onEntryAddedEvent(EntryAddedEvent<CircuitBreaker> event) {
            throw new IllegalStateException("the user's");
          }

          @Override
          public void onEntryRemovedEvent(EntryRemovedEvent<CircuitBreaker> event) {}

          @Override
          public void onEntryReplacedEvent(EntryReplacedEvent<CircuitBreaker> event) {}
        };
    CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config().build(), hostile);
    BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();
    Retrier retrier =
        retrier(Resilience4jGuards.bulkhead(bulkheads))
            .guard(Resilience4jGuards.circuitBreaker(registry))
            .build();
    assertThrows(IllegalStateException.class, () -> retrier.call(() -> "up"));
    assertEquals(25, bulkheads.bulkhead("db").getMetrics().getAvailableConcurrentCalls());
  }

  @Test
  void breakerEventConsumersThatThrow_changeNothing() throws Exception {
    CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config().build());
    registry
        .circuitBreaker("db")
        .getEventPublisher()
        .onEvent(event -> {
          throw new IllegalStateException("the user's");
        });
    Retrier retrier = retrier(Resilience4jGuards.circuitBreaker(registry)).build();
    assertThrows(IOException.class, () -> retrier.call(failing));
    assertEquals(2, calls.get());
    time.advance(Duration.ofSeconds(11));
    assertEquals("up", retrier.call(() -> "up"));
    assertEquals(CircuitBreaker.State.CLOSED, registry.circuitBreaker("db").getState());
  }
}
