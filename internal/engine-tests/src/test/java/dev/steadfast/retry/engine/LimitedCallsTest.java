package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.limit.AdaptiveLimit;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Operations under an adaptive limit, driven by the machine. */
class LimitedCallsTest {
  private static final int CANCELS = 100_000;

  private final FakeTime time = new FakeTime();
  private final Semaphore ended = new Semaphore(0);

  private Retrier retrier(String policy, Guard... guards) {
    Retrier.Builder builder =
        Retrier.builder()
            .policy(RetryPolicy.valueOf(policy))
            .environment(time.environment())
            .listener(
                new RetryListener() {
                  @Override
                  public void ended(OperationInfo operation, RetryReport report) {
                    ended.release(); // perhaps on a thread of the library's
                  }
                });
    for (Guard guard : guards) {
      builder.guard(guard);
    }
    return builder.build();
  }

  private static CompletionStage<String> stalled() {
    return new CompletableFuture<>();
  }

  @ParameterizedTest
  @CsvSource({
    "attemptTimeout=1s; totalTimeout=10s; maxAttempts=1, 10", // its own timeout
    "attemptTimeout=1s; totalTimeout=400ms,              20", // less than half of it
    "attemptTimeout=1s; totalTimeout=500ms,              10",
    "totalTimeout=500ms,                                 10" // the only bound there is
  })
  void anAttemptThatTimesOutHalvesTheLimit_ifItHadHalfItsTime(String policy, int limit)
      throws Exception {
    AdaptiveLimit guard = AdaptiveLimit.perOrigin();
    CompletableFuture<String> future = retrier(policy, guard).callAsync(LimitedCallsTest::stalled);
    assertEquals(1, guard.state("work").inFlight());
    time.advance(Duration.ofSeconds(11));
    assertThrows(ExecutionException.class, () -> future.get(20, TimeUnit.SECONDS));
    assertTrue(ended.tryAcquire(20, TimeUnit.SECONDS));
    assertEquals(new AdaptiveLimit.State(limit, 0, 0), guard.state("work"));
  }

  @Test
  void aCancelledAttemptSaysNothing() throws Exception {
    AdaptiveLimit guard = AdaptiveLimit.perOrigin();
    CompletableFuture<String> future =
        retrier("attemptTimeout=1s", guard).callAsync(LimitedCallsTest::stalled);
    time.advance(Duration.ofMillis(999));
    future.cancel(true);
    assertTrue(ended.tryAcquire(20, TimeUnit.SECONDS));
    assertEquals(new AdaptiveLimit.State(20, 0, 0), guard.state("work"));
  }

  @Test
  void noPlaceIsHeldDuringAWait() throws Exception {
    AdaptiveLimit guard = AdaptiveLimit.builder().maximum(1).build();
    Deque<CompletionStage<String>> script = new ArrayDeque<>();
    script.add(CompletableFuture.failedFuture(new IOException("x")));
    script.add(CompletableFuture.completedFuture("a"));
    CompletableFuture<String> future =
        retrier("backoff=fixed(1s)", guard).callAsync(script::remove);
    assertEquals(new AdaptiveLimit.State(1, 0, 0), guard.state("work"));
    time.advance(Duration.ofSeconds(1));
    assertEquals("a", future.get(20, TimeUnit.SECONDS));
  }

  @Test
  void anAttemptBeyondTheLimitEndsItsOperation_andTellsWhy() {
    AdaptiveLimit guard = AdaptiveLimit.builder().maximum(1).build();
    Retrier retrier = retrier("attemptTimeout=1s", guard);
    retrier.callAsync(LimitedCallsTest::stalled);
    AttemptRefusedException refused =
        assertThrows(AttemptRefusedException.class, () -> retrier.call(() -> "a"));
    assertInstanceOf(AdaptiveLimit.Refused.class, refused.getCause());
    assertEquals(new AdaptiveLimit.State(1, 1, 1), guard.state("work"));
  }

  @Test
  void aKeyThatCannotBeHadEndsTheOperationWithThatException() {
    IllegalStateException noKey = new IllegalStateException("no key");
    AdaptiveLimit keyed =
        AdaptiveLimit.builder()
            .keyedBy(info -> {
              throw noKey;
            })
            .build();
    AdaptiveLimit before = AdaptiveLimit.perOrigin();
    Retrier retrier = retrier("", before, keyed);
    assertSame(noKey, assertThrows(IllegalStateException.class, () -> retrier.call(() -> "a")));
    assertEquals(new AdaptiveLimit.State(20, 0, 0), before.state("work"), "and leaks nothing");
  }

  /** Each guard has its own; what one refuses, the others give back. */
  @ParameterizedTest
  @CsvSource({"0", "1", "2"})
  void composesWithOtherGuardsInAnyOrder(int place) throws Exception {
    AdaptiveLimit limit = AdaptiveLimit.builder().maximum(1).build();
    CountingGuard first = new CountingGuard();
    CountingGuard second = new CountingGuard();
    List<Guard> guards = new ArrayList<>(List.of(first, second));
    guards.add(place, limit);
    Retrier retrier = retrier("attemptTimeout=1s; maxAttempts=1", guards.toArray(new Guard[0]));
    CompletableFuture<String> held = retrier.callAsync(LimitedCallsTest::stalled);
    assertThrows(AttemptRefusedException.class, () -> retrier.call(() -> "a"));
    time.advance(Duration.ofSeconds(1));
    assertThrows(ExecutionException.class, () -> held.get(20, TimeUnit.SECONDS));
    String refused = place > 0 ? "2 released, " : "";
    assertEquals(refused + "1 failed TimeoutException", first.answers());
    first.verify();
    second.verify();
    assertEquals(new AdaptiveLimit.State(1, 0, 1), limit.state("work"));
  }

  @Test
  void attemptsWithoutEndAreRefused_whereTheyWouldFillTheLimit() {
    String endless = "totalTimeout=none; maxAttempts=2";
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> retrier(endless, AdaptiveLimit.perOrigin()));
    assertEquals(
        "attemptTimeout: none (expected: a timeout: attempts that never end fill an adaptive limit)",
        refused.getMessage());
    assertThrows(
        IllegalArgumentException.class,
        () -> retrier(endless, new CountingGuard(), new FullForGood()),
        "a guard of the user's");
    retrier(endless, new CountingGuard());
    retrier(endless + "; attemptTimeout=1h", AdaptiveLimit.perOrigin(), new FullForGood());
  }

  /** A guard of the user's that attempts without end would fill. */
  private static final class FullForGood implements Guard {
    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return 0;
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      return Permit.none();
    }

    @Override
    public boolean requiresAttemptTimeout() {
      return true;
    }
  }

  /** From two other threads, while the attempts succeed, fail, time out and are refused. */
  @Test
  void aHundredThousandRandomCancelsLeakNoPlace() throws Exception {
    AdaptiveLimit guard = AdaptiveLimit.builder().maximum(50).build();
    Retrier retrier =
        retrier(
            "attemptTimeout=100ms; totalTimeout=220ms; maxAttempts=3; backoff=full(10ms..50ms)",
            guard);
    SplittableRandom random = new SplittableRandom(11);
    Queue<CompletableFuture<String>> running = new ConcurrentLinkedQueue<>();
    ExecutorService cancelling = Executors.newFixedThreadPool(2);
    try {
      for (int i = 0; i < CANCELS; i++) {
        int course = random.nextInt(4);
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future =
            retrier.callAsync(() -> course == 0 ? CompletableFuture.completedFuture("a") : stage);
        running.add(future);
        cancelling.execute(() -> running.remove().cancel(true));
        time.advance(Duration.ofMillis(random.nextInt(5)));
        if (course == 1) {
          stage.complete("b");
        } else if (course == 2) {
          stage.completeExceptionally(new IOException("c"));
        }
      }
      assertTrue(ended.tryAcquire(CANCELS, 60, TimeUnit.SECONDS), () -> ended + " ended");
    } finally {
      cancelling.shutdownNow();
    }
    time.awaitIdle();
    AdaptiveLimit.State state = guard.state("work");
    assertEquals(0, state.inFlight(), state::toString);
  }

  @Test
  void aGuardOfTheUsersNeedNotTellFailuresApart() throws Exception {
    CountingGuard guard = new CountingGuard();
    Retrier retrier = retrier("maxAttempts=1", guard);
    assertThrows(
        IOException.class,
        () ->
            retrier.call(() -> {
              throw new IOException("x");
            }));
    assertEquals("1 failed IOException", guard.answers());
  }
}
