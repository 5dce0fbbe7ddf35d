package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Operations that are paced, driven by the machine. */
class PacedCallsTest {
  private static final int CANCELS = 100_000;
  private static final long SECOND = 1_000_000_000;
  private static final OperationInfo ANY = OperationInfo.of("work", "work");

  private final FakeTime time = new FakeTime();
  private final Semaphore ended = new Semaphore(0);
  private final QuotaPacing pacing = QuotaPacing.perOrigin();

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

  private void learn(long remaining, Duration left) {
    Quota.Policy policy = new Quota.Policy("q", null, true, 100, 0);
    pacing.learn(ANY, List.of(new Quota(policy, remaining, left.toNanos(), 0)), time.nanos());
  }

  @Test
  void operationsTakeTurns_andWaitWithoutAPermit() throws Exception {
    learn(4, Duration.ofSeconds(10));
    Retrier retrier = retrier("", pacing);
    List<CompletableFuture<Long>> futures = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      futures.add(retrier.callAsync(() -> CompletableFuture.completedFuture(time.nanos())));
    }
    assertEquals(new QuotaPacing.State(4, 0, 3), pacing.state("work"));
    time.advance(Duration.ofSeconds(10));
    List<Long> sent = new ArrayList<>();
    for (CompletableFuture<Long> future : futures) {
      sent.add(future.get(20, TimeUnit.SECONDS) / 1_000_000);
    }
    assertEquals(List.of(0L, 1800L, 3600L, 5400L), sent);
    assertEquals(new QuotaPacing.State(4, 0, 0), pacing.state("work"));
  }

  @Test
  void theDeadlineBoundsTheWait_andTellsTheDelay() {
    learn(0, Duration.ofSeconds(40));
    AttemptRefusedException refused =
        assertThrows(
            AttemptRefusedException.class,
            () -> retrier("totalTimeout=30s", pacing).call(() -> "a"));
    assertEquals(Optional.of(Duration.ofSeconds(40)), refused.serverDelay());
    assertEquals(new QuotaPacing.State(0, 0, 0), pacing.state("work"));
  }

  @Test
  void anotherGuardThatRefusesLeavesNothing() {
    learn(50, Duration.ofSeconds(10));
    Guard refuses =
        new Guard() {
          @Override
          public long admitsInNanos(OperationInfo operation, long nowNanos) {
            return NEVER;
          }

          @Override
          public Permit acquire(OperationInfo operation, long nowNanos) {
            throw new IllegalStateException("closed");
          }
        };
    for (Guard[] guards : new Guard[][] {{pacing, refuses}, {refuses, pacing}}) {
      assertThrows(AttemptRefusedException.class, () -> retrier("", guards).call(() -> "a"));
      assertEquals(new QuotaPacing.State(50, 0, 0), pacing.state("work"));
    }
  }

  @Test
  void aKeyThatCannotBeHadEndsTheOperationWithThatException() {
    IllegalStateException noKey = new IllegalStateException("no key");
    QuotaPacing keyed =
        QuotaPacing.builder()
            .keyedBy(info -> {
              throw noKey;
            })
            .build();
    learn(50, Duration.ofSeconds(10));
    Retrier retrier = retrier("", pacing, keyed);
    assertSame(noKey, assertThrows(IllegalStateException.class, () -> retrier.call(() -> "a")));
    assertEquals(new QuotaPacing.State(50, 0, 0), pacing.state("work"), "and leaks nothing");
  }

  @Test
  void aKeyThatChangesLeavesNothing() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    QuotaPacing keyed =
        QuotaPacing.builder().keyedBy(info -> "key " + asked.getAndIncrement() % 2).build();
    Quota.Policy policy = new Quota.Policy("q", null, true, 4, SECOND);
    for (int i = 0; i < 2; i++) {
      keyed.learn(ANY, List.of(new Quota(policy, 0, 10 * SECOND, 0)), time.nanos());
    }
    CompletableFuture<String> future =
        retrier("", keyed).callAsync(() -> CompletableFuture.completedFuture("a"));
    time.advance(Duration.ofSeconds(12));
    assertEquals("a", future.get(20, TimeUnit.SECONDS));
    for (String key : List.of("key 0", "key 1")) {
      QuotaPacing.State state = keyed.state(key);
      assertEquals(0, state.inFlight() + state.waiting(), state::toString);
    }
  }

  @Test
  void aListenerThatThrowsLeavesNothing() throws Exception {
    RetryListener throwing =
        new RetryListener() {
          @Override
          public void attemptStarted(OperationInfo operation, int number, Object request) {
            throw new IllegalStateException("started");
          }

          @Override
          public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
            throw new IllegalStateException("waiting");
          }

          @Override
          public void ended(OperationInfo operation, RetryReport report) {
            throw new IllegalStateException("ended");
          }
        };
    learn(2, Duration.ofSeconds(10));
    Retrier retrier =
        Retrier.builder().environment(time.environment()).listener(throwing).guard(pacing).build();
    List<CompletableFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      futures.add(retrier.callAsync(() -> CompletableFuture.completedFuture("a")));
    }
    time.advance(Duration.ofSeconds(11));
    for (CompletableFuture<String> future : futures) {
      assertEquals("a", future.get(20, TimeUnit.SECONDS));
    }
    assertEquals(new QuotaPacing.State(2, 0, 0), pacing.state("work"));
  }

  @Test
  void aSchedulerThatRejectsLeavesNothing() {
    RetryScheduler closed = new ClosedScheduler();
    learn(0, Duration.ofSeconds(10));
    Retrier retrier =
        Retrier.builder()
            .environment(time.environment().withScheduler(closed))
            .guard(pacing)
            .build();
    assertThrows(RejectedExecutionException.class, () -> retrier.call(() -> "a"));
    CompletableFuture<String> future =
        retrier.callAsync(() -> CompletableFuture.completedFuture("a"));
    assertThrows(ExecutionException.class, () -> future.get(20, TimeUnit.SECONDS));
    assertEquals(new QuotaPacing.State(0, 0, 0), pacing.state("work"));
  }

  @Test
  void aGuardThatThrowsAtTheEndHarmsNobody() throws Exception {
    learn(50, Duration.ofSeconds(10));
    Guard broken =
        new Guard() {
          @Override
          public long admitsInNanos(OperationInfo operation, long nowNanos) {
            return 0;
          }

          @Override
          public Permit acquire(OperationInfo operation, long nowNanos) {
            return new CountingGuard().acquire(operation, nowNanos);
          }

          @Override
          public void operationEnded(OperationInfo operation) {
            throw new IllegalStateException("broken");
          }
        };
    assertEquals("a", retrier("", broken, pacing).call(() -> "a"));
  }

  /** From two other threads, while attempts wait, succeed, fail and time out. */
  @Test
  void aHundredThousandRandomCancelsLeakNoTurn() throws Exception {
    Retrier retrier =
        retrier(
            "attemptTimeout=100ms; totalTimeout=900ms; maxAttempts=3; backoff=full(10ms..50ms)",
            pacing);
    SplittableRandom random = new SplittableRandom(11);
    Queue<CompletableFuture<String>> running = new ConcurrentLinkedQueue<>();
    ExecutorService cancelling = Executors.newFixedThreadPool(2);
    try {
      for (int i = 0; i < CANCELS; i++) {
        int course = random.nextInt(4);
        if (course == 3) {
          learn(random.nextInt(40), Duration.ofMillis(random.nextInt(2000)));
        }
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future =
            retrier.callAsync(() -> course == 0 ? CompletableFuture.completedFuture("a") : stage);
        running.add(future);
        if (random.nextInt(8) == 0) {
          for (int most = running.size(); most > 0; most--) {
            cancelling.execute(() -> {
              CompletableFuture<String> next = running.poll();
              if (next != null) {
                next.cancel(true);
              }
            });
          }
        }
        time.advance(Duration.ofMillis(random.nextInt(5)));
        if (course == 1) {
          stage.complete("b");
        } else if (course == 2) {
          stage.completeExceptionally(new IOException("c"));
        }
      }
      running.forEach(each -> each.cancel(true));
      assertTrue(ended.tryAcquire(CANCELS, 60, TimeUnit.SECONDS), () -> ended + " ended");
    } finally {
      cancelling.shutdownNow();
    }
    time.awaitIdle();
    QuotaPacing.State state = pacing.state("work");
    assertEquals(0, state.inFlight() + state.waiting(), state::toString);
  }
}
