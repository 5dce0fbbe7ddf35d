package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Work without a listener makes its first attempt without the loop. The results must be the same as
 * with the loop, so each test compares them with those of a listener that does nothing: with a
 * listener the loop is used at once.
 */
class FirstAttemptTest {
  private static final RetryListener NOBODY = new RetryListener() {};

  @AfterEach
  void nothingIsLeftOnTheThread() {
    assertNull(CallContext.current());
    Thread.interrupted();
  }

  @Test
  void withAndWithoutTheLoopItDoesTheSame() {
    int retried = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      String plain = new Run(seed, false).go();
      assertEquals(new Run(seed, true).go(), plain, "seed " + seed);
      retried += plain.contains("2 attempts") || plain.contains("3 attempts") ? 1 : 0;
    }
    assertTrue(retried > 2_000, "runs that retried: " + retried);
  }

  /** One operation of random work under a random policy, and all that can be seen of it. */
  private static final class Run implements RetryBudget, RetryBudget.Account {
    private final RandomGenerator choices;
    private final List<String> seen = new ArrayList<>();
    private final Retrier retrier;
    private final boolean timed;
    private final boolean throwsAtTheEnd;
    private int tokens;
    private long nanos = 1_000;
    private int calls;

    Run(int seed, boolean listenedTo) {
      SplittableRandom random = new SplittableRandom(seed);
      choices = random;
      tokens = random.nextInt(4);
      throwsAtTheEnd = random.nextInt(10) == 0;
      RetryPolicy.Builder policy =
          RetryPolicy.builder()
              .maxAttempts(1 + random.nextInt(12))
              .minimumAttempt(Duration.ofNanos(1 + random.nextInt(19)))
              .backoff(backoff(random));
      if (random.nextBoolean()) {
        policy.totalTimeout(Duration.ofNanos(20 + random.nextInt(500)));
      } else {
        policy.noTotalTimeout();
      }
      boolean free = random.nextInt(3) == 0;
      timed = !free || policy.build().totalTimeout().isPresent();
      Retrier.Builder builder =
          Retrier.builder()
              .policy(policy.build())
              .environment(environment(new SplittableRandom(seed)))
              .budget(free ? RetryBudget.unlimited() : this)
              .retryExceptions(exceptions(random));
      if (random.nextBoolean()) {
        builder.retryResults(results(random));
      }
      if (listenedTo) {
        builder.listener(NOBODY);
      }
      retrier = builder.build();
    }

    private static Backoff backoff(RandomGenerator random) {
      return switch (random.nextInt(3)) {
        case 0 -> Backoff.none();
        case 1 -> Backoff.fixed(Duration.ofNanos(30));
        default -> Backoff.fullJitter(Duration.ofNanos(10), Duration.ofNanos(200));
      };
    }

    private static Predicate<Throwable> exceptions(RandomGenerator random) {
      return switch (random.nextInt(4)) {
        case 0 -> IOException.class::isInstance;
        case 1 ->
            failure -> {
              throw new IllegalStateException("predicate");
            };
        default -> failure -> true;
      };
    }

    private static Predicate<@Nullable Object> results(RandomGenerator random) {
      return switch (random.nextInt(4)) {
        case 0 ->
            result -> {
              throw new IllegalStateException("predicate");
            };
        case 1 -> result -> result == null;
        default -> "again"::equals;
      };
    }

    private RetryEnvironment environment(SplittableRandom jitter) {
      RetryScheduler sleeping =
          new RetryScheduler() {
            @Override
            public boolean isVirtual() {
              return true;
            }

            @Override
            public Task schedule(long delayNanos, Runnable task) {
              throw new AssertionError("no timer is needed");
            }

            @Override
            public boolean await(CountDownLatch wake, long delay) throws InterruptedException {
              if (Thread.interrupted()) {
                throw new InterruptedException("now");
              }
              nanos += delay;
              return false;
            }
          };
      return new RetryEnvironment(
          () -> nanos, () -> Instant.EPOCH, () -> jitter.nextLong(), sleeping);
    }

    String go() {
      Callable<@Nullable String> work = this::attempt;
      try {
        seen.add("result " + retrier.call(work));
      } catch (Throwable thrown) {
        String report = RetryReport.of(thrown).map(RetryReport::toString).orElse("none");
        seen.add(thrown.getClass().getSimpleName() + " " + (timed ? report : untimed(report)));
      }
      seen.add(calls + " calls, " + tokens + " tokens, interrupted " + Thread.interrupted());
      return String.join("\n", seen);
    }

    private static String untimed(String report) {
      return report.replaceAll(" in [^,\\]]*", "");
    }

    private @Nullable String attempt() throws Exception {
      calls++;
      nanos += choices.nextInt(40);
      assertTrue(CallContext.current() instanceof RetryingLayer, "the work is within the layer");
      return switch (choices.nextInt(20)) {
        case 0, 1, 2 -> "done";
        case 3, 4 -> "again";
        case 5 -> null;
        case 6 -> throw new InterruptedException("by the work");
        case 7 -> throw new CancellationException("by the work");
        case 8 -> throw new AssertionError("by the work");
        case 9 -> throw new TimeoutException("by the work");
        case 10 -> {
          Thread.currentThread().interrupt();
          throw new IOException("interrupted");
        }
        default -> throw new IOException("no. " + calls);
      };
    }

    @Override
    public RetryBudget.Account account(String origin) {
      return this;
    }

    @Override
    public void operationBegan(long nowNanos) {
      seen.add("began " + nowNanos);
    }

    @Override
    public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
      seen.add("failed " + kind + " " + (last != null) + " " + nowNanos);
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      seen.add("asked " + kind + " " + nowNanos);
      return tokens-- > 0 ? Withdrawal.of(1) : Withdrawal.refused();
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      tokens++;
      seen.add("refunded " + nowNanos);
    }

    // For a clean success, one of them passes the time of its beginning, and the other that of its
    // end.
    @Override
    public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
      seen.add("ended " + outcome + " " + (last != null) + " " + (calls > 1 ? nowNanos : ""));
      if (throwsAtTheEnd) {
        throw new IllegalStateException("budget");
      }
    }
  }

  @Test
  void withoutLimits_aCleanFirstAttemptReadsNoClock() throws Exception {
    RetryEnvironment environment =
        new RetryEnvironment(
            () -> {
              throw new AssertionError("nobody needs the time");
            },
            () -> Instant.EPOCH,
            () -> 0,
            TimerScheduler.system());
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.builder().noTotalTimeout().backoff(Backoff.none()).build())
            .budget(RetryBudget.unlimited())
            .environment(environment)
            .build();
    assertEquals("first", retrier.call(() -> "first"));
  }

  @Test
  void workThatRetriesWithinWork_hasALoopOfItsOwn() throws Exception {
    Retrier retrier =
        Retrier.builder().policy(RetryPolicy.builder().backoff(Backoff.none()).build()).build();
    IOException inner = new IOException("inner");
    int[] calls = {0};
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                retrier.call(() ->
                    retrier.call(() -> {
                      calls[0]++;
                      throw inner;
                    })));
    assertSame(inner, thrown);
    assertEquals(3, calls[0]); // the inner layer makes one attempt
    assertEquals(3, RetryReport.of(thrown).orElseThrow().attempts());
  }

  @Test
  void keepsTheLatestHundredAttempts() {
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("maxAttempts=250; backoff=none"))
            .budget(RetryBudget.unlimited())
            .build();
    int[] calls = {0};
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                retrier.call(() -> {
                  throw new IOException("no. " + ++calls[0]);
                }));
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(250, report.attempts());
    assertEquals(100, report.attemptReports().size());
    for (int i = 0; i < 100; i++) {
      AttemptReport attempt = report.attemptReports().get(i);
      assertEquals(151 + i, attempt.number());
      assertEquals("no. " + (151 + i), attempt.failure().orElseThrow().getMessage());
    }
  }
}
