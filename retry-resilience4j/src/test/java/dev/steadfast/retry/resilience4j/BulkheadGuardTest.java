package dev.steadfast.retry.resilience4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.testkit.FakeTime;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** GuardPermits of bulkheads: who holds one, when it comes back, and that it always does. */
class BulkheadGuardTest {
  private static final Guard.Failure LOST =
      new Guard.Failure(FailureKind.CONNECTION_LOST, true, 1, 1);
  private static final OperationInfo INFO = OperationInfo.of("db", "db");

  private final FakeTime time = new FakeTime();
  private final BulkheadRegistry registry =
      BulkheadRegistry.of(BulkheadConfig.custom().maxConcurrentCalls(2).build());
  private final Bulkhead bulkhead = registry.bulkhead("db");

  private int available() {
    return bulkhead.getMetrics().getAvailableConcurrentCalls();
  }

  private Retrier.Builder retrier(Guard guard) {
    return Retrier.builder()
        .name("db")
        .environment(time.environment())
        .listener(time.skipWaits())
        .budget(RetryBudget.unlimited())
        .policy(
            RetryPolicy.builder()
                .maxAttempts(3)
                .backoff(Backoff.fixed(Duration.ofSeconds(1)))
                .build())
        .guard(guard);
  }

  @Test
  void aPermitIsHeldDuringAnAttempt_andNotDuringAWait() throws Exception {
    List<Integer> duringWaits = new ArrayList<>();
    List<Integer> duringAttempts = new ArrayList<>();
    Retrier retrier =
        retrier(Resilience4jGuards.bulkhead(registry))
            .listener(
                new RetryListener() {
                  @Override
                  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
                    duringWaits.add(available());
                  }
                })
            .build();
    assertThrows(
        IOException.class,
        () ->
            retrier.call(() -> {
              duringAttempts.add(available());
              throw new IOException("down");
            }));
    assertEquals(List.of(1, 1, 1), duringAttempts);
    assertEquals(List.of(2, 2), duringWaits);
    assertEquals(2, available());
  }

  @Test
  void aFullBulkhead_endsTheOperationAtOnce() {
    bulkhead.acquirePermission();
    bulkhead.acquirePermission();
    Retrier retrier = retrier(Resilience4jGuards.bulkhead(registry)).build();
    AttemptRefusedException refused =
        assertThrows(AttemptRefusedException.class, () -> retrier.call(() -> "up"));
    assertInstanceOf(BulkheadFullException.class, refused.getCause());
    assertEquals(StopReason.GUARD_REFUSED, RetryReport.of(refused).orElseThrow().reason());
    assertEquals(0, available());
  }

  @Test
  void aKeyThatCannotBeHad_isNoRefusal() {
    Retrier nameless =
        retrier(Resilience4jGuards.bulkhead(registry).keyedBy(info -> info.name().orElse(null)))
            .build();
    NullPointerException thrown =
        assertThrows(NullPointerException.class, () -> nameless.call(() -> "up"));
    assertEquals("the key of a bulkhead: null (expected: a value)", thrown.getMessage());
    assertEquals(StopReason.USER_CODE_FAILED, RetryReport.of(thrown).orElseThrow().reason());
  }

  @Test
  void whenTheBulkheadRefuses_theBreakerGetsItsPermissionBack() {
    CircuitBreakerRegistry breakers =
        CircuitBreakerRegistry.of(
            CircuitBreakerConfig.custom().permittedNumberOfCallsInHalfOpenState(1).build());
    CircuitBreaker breaker = breakers.circuitBreaker("db");
    breaker.transitionToOpenState();
    breaker.transitionToHalfOpenState();
    bulkhead.acquirePermission();
    bulkhead.acquirePermission();
    Retrier retrier =
        retrier(Resilience4jGuards.circuitBreaker(breakers))
            .guard(Resilience4jGuards.bulkhead(registry))
            .build();
    for (int i = 0; i < 5; i++) {
      AttemptRefusedException refused =
          assertThrows(AttemptRefusedException.class, () -> retrier.call(() -> "up"));
      assertInstanceOf(BulkheadFullException.class, refused.getCause());
    }
    assertTrue(breaker.tryAcquirePermission());
  }

  @Test
  void aConfigurationThatWouldBlock_doesNot() {
    Guard guard =
        Resilience4jGuards.bulkhead(
            BulkheadConfig.custom()
                .maxConcurrentCalls(1)
                .maxWaitDuration(Duration.ofDays(1))
                .build());
    Guard.Permit permit = guard.acquire(INFO, 0);
    assertThrows(BulkheadFullException.class, () -> guard.acquire(INFO, 0));
    permit.released();
    guard.acquire(INFO, 0).succeeded(1);
    guard.acquire(INFO, 0).failed(LOST, new IOException("down"));
    guard.acquire(INFO, 0).released();
    guard.acquire(OperationInfo.of("other", "other"), 0);
    assertEquals(0, guard.admitsInNanos(INFO, 0));
  }

  @Test
  void consumersThatThrow_loseNoPermit_andAddNone() {
    Guard guard = Resilience4jGuards.bulkhead(registry);
    guard.acquire(INFO, 0).succeeded(1); // the guard knows the bulkhead from here on
    bulkhead.getEventPublisher().onEvent(BulkheadGuardTest::fail);
    assertPermitsAreKept(guard);
  }

  @Test
  void consumersThatThrow_fromBeforeTheGuardWasThere() {
    bulkhead
        .getEventPublisher()
        .onCallPermitted(BulkheadGuardTest::fail)
        .onCallRejected(BulkheadGuardTest::fail)
        .onCallFinished(BulkheadGuardTest::fail);
    assertPermitsAreKept(Resilience4jGuards.bulkhead(registry));
    bulkhead.getEventPublisher().onEvent(BulkheadGuardTest::fail);
    assertPermitsAreKept(Resilience4jGuards.bulkhead(registry));
  }

  @Test
  void aConsumerOfAllEventsThatThrows_aheadOfTheGuard() {
    bulkhead.getEventPublisher().onEvent(BulkheadGuardTest::fail);
    assertPermitsAreKept(Resilience4jGuards.bulkhead(registry));
  }

  private static void fail(Object event) {
    throw new AssertionError("the user's, on " + event);
  }

  private void assertPermitsAreKept(Guard guard) {
    for (int i = 0; i < 10; i++) {
      Guard.Permit one = guard.acquire(INFO, 0);
      Guard.Permit two = guard.acquire(INFO, 0);
      assertEquals(0, available());
      assertThrows(BulkheadFullException.class, () -> guard.acquire(INFO, 0));
      assertEquals(0, available());
      one.released();
      assertThrows(AssertionError.class, () -> two.succeeded(1));
      assertEquals(2, available());
    }
    // Through the machine: the operation goes on.
    Retrier retrier = retrier(guard).build();
    assertEquals("up", assertSucceeds(retrier));
    assertEquals(2, available());
  }

  private static String assertSucceeds(Retrier retrier) {
    try {
      return retrier.call(() -> "up");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aBulkheadWithCallsUnderWayIsNotForgotten() {
    Guard guard = Resilience4jGuards.bulkhead(registry);
    guard.acquire(OperationInfo.of("busy", "busy"), 0);
    for (int i = 0; i < 10_000; i++) {
      guard.acquire(OperationInfo.of("h" + i, "h"), 0).succeeded(1);
    }
    assertTrue(
        registry.getAllBulkheads().size() <= 1026,
        () -> "bulkheads: " + registry.getAllBulkheads().size());
    guard.acquire(OperationInfo.of("busy", "busy"), 0);
    assertThrows(
        BulkheadFullException.class, () -> guard.acquire(OperationInfo.of("busy", "busy"), 0));
  }

  // A breaker that is half-open all the time and a bulkhead that is too narrow for the threads;
  // operations that end, fail, wait or hang, and are cancelled at any point of it. A thread begins
  // its next operation when the last one has ended, or most would only ever be refused.
  @Test
  void aHundredThousandCancellations_loseNoPermit() throws Exception {
    int operations = 100_000;
    int threads = 8;
    int permissions = 400_000; // more than there can be attempts
    BulkheadRegistry bulkheads =
        BulkheadRegistry.of(BulkheadConfig.custom().maxConcurrentCalls(6).build());
    CircuitBreakerRegistry breakers =
        CircuitBreakerRegistry.of(
            CircuitBreakerConfig.custom()
                .permittedNumberOfCallsInHalfOpenState(permissions)
                .slidingWindowSize(permissions)
                .minimumNumberOfCalls(permissions)
                .build());
    CircuitBreaker breaker = breakers.circuitBreaker("db");
    breaker.transitionToOpenState();
    breaker.transitionToHalfOpenState();
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(3)
            .backoff(Backoff.fullJitter(Duration.ofNanos(1), Duration.ofMillis(1)))
            .build();
    Function<RetryListener, Retrier> retrier =
        listener ->
            Retrier.builder()
                .name("db")
                .budget(RetryBudget.unlimited())
                .policy(policy)
                .guard(Resilience4jGuards.circuitBreaker(breakers))
                .guard(Resilience4jGuards.bulkhead(bulkheads))
                .listener(listener)
                .build();
    ExecutorService workers = Executors.newFixedThreadPool(threads);
    ExecutorService others = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> storms = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        Storm storm = new Storm(retrier, others, new SplittableRandom(thread));
        storms.add(workers.submit(() -> storm.run(operations / threads)));
      }
      for (Future<?> storm : storms) {
        storm.get();
      }
    } finally {
      workers.shutdownNow();
      others.shutdownNow();
    }

    assertEquals(6, bulkheads.bulkhead("db").getMetrics().getAvailableConcurrentCalls());
    assertEquals(CircuitBreaker.State.HALF_OPEN, breaker.getState());
    // What was not recorded was given back.
    int left = 0;
    while (breaker.tryAcquirePermission()) {
      left++;
    }
    assertEquals(permissions - breaker.getMetrics().getNumberOfBufferedCalls(), left);
    assertTrue(breaker.getMetrics().getNumberOfFailedCalls() > 1_000);
    assertTrue(breaker.getMetrics().getNumberOfSuccessfulCalls() > 1_000);
  }

  /** One thread of that test. */
  private static final class Storm {
    private final Semaphore ended = new Semaphore(0);
    private final Retrier retrier;
    private final ExecutorService others;
    private final SplittableRandom random;

    Storm(
        Function<RetryListener, Retrier> retrier, ExecutorService others, SplittableRandom random) {
      this.retrier =
          retrier.apply(
              new RetryListener() {
                @Override
                public void ended(OperationInfo operation, RetryReport report) {
                  ended.release();
                }
              });
      this.others = others;
      this.random = random;
    }

    void run(int operations) {
      for (int i = 0; i < operations; i++) {
        int work = random.nextInt(4);
        CompletableFuture<String> call =
            retrier.callAsync(() ->
                switch (work) {
                  case 0 -> CompletableFuture.completedFuture("up");
                  case 1 -> CompletableFuture.failedFuture(new IOException("down"));
                  case 2 -> CompletableFuture.supplyAsync(() -> "late", others);
                  default -> new CompletableFuture<>();
                });
        if (random.nextBoolean()) {
          call.cancel(true);
        } else {
          others.execute(() -> call.cancel(true));
        }
        ended.acquireUninterruptibly();
      }
    }
  }
}
