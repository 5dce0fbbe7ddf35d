package dev.steadfast.retry.resilience4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryPolicy;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.core.functions.Either;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Policies behind resilience4j's own decorators. */
class Resilience4jRetriesTest {
  private static final RetryPolicy POLICY =
      RetryPolicy.builder().maxAttempts(4).backoff(Backoff.none()).build();

  private final AtomicInteger calls = new AtomicInteger();

  private String failing() throws IOException {
    calls.incrementAndGet();
    throw new IOException("down");
  }

  @Test
  void intervalsAreMillisecondsRoundedUp() {
    IntervalFunction fixed =
        Resilience4jRetries.intervalFunction(Backoff.fixed(Duration.ofNanos(1_000_001)));
    assertEquals(2, fixed.apply(1));
    assertEquals(0, Resilience4jRetries.intervalFunction(Backoff.fixed(Duration.ZERO)).apply(3));
    IntervalFunction growing =
        Resilience4jRetries.intervalFunction(
            Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(1)));
    assertEquals(100, growing.apply(1));
    assertEquals(800, growing.apply(4));
    assertEquals(1_000, growing.apply(60));
    assertTrue(
        Resilience4jRetries.intervalFunction(Backoff.fixed(Duration.ofSeconds(Long.MAX_VALUE)))
                .apply(1)
            > 0);
  }

  @Test
  void aBackoffThatBuildsOnTheLastWait_growsAllTheSame() {
    IntervalFunction decorrelated =
        Resilience4jRetries.intervalFunction(
            Backoff.decorrelatedJitter(Duration.ofMillis(100), Duration.ofSeconds(100)));
    long highest = 0;
    for (int i = 0; i < 1_000; i++) {
      assertTrue(decorrelated.apply(1) <= 300);
      highest = Math.max(highest, decorrelated.apply(6));
    }
    assertTrue(highest > 900, "two growths at least: " + highest);
  }

  @Test
  void attemptsAreThePolicys() {
    Retry retry = Resilience4jRetries.retry("db", POLICY);
    IOException thrown =
        assertThrows(IOException.class, () -> retry.executeCheckedSupplier(this::failing));
    assertEquals("down", thrown.getMessage());
    assertEquals(4, calls.get());
    assertEquals("db", retry.getName());
  }

  @Test
  void theBudgetRunsDry_andIsFilledBySuccesses() throws Throwable {
    RetryConfig config = Resilience4jRetries.retryConfig(POLICY);
    Retry retry = Retry.of("db", config);
    for (int i = 0; i < 20; i++) {
      assertThrows(IOException.class, () -> retry.executeCheckedSupplier(this::failing));
    }
    // 20 first attempts and the burst of 10; the floor may have granted one in a slow run.
    assertTrue(calls.get() >= 30 && calls.get() <= 34, "calls: " + calls);
    for (int i = 0; i < 10; i++) {
      assertEquals("up", retry.executeCheckedSupplier(() -> "up"));
    }
    int before = calls.get();
    assertThrows(IOException.class, () -> retry.executeCheckedSupplier(this::failing));
    assertTrue(calls.get() - before >= 2, "calls: " + (calls.get() - before));
  }

  @Test
  void cancellationsAndErrorsAreNotRetried() {
    Retry retry = Resilience4jRetries.retry("db", POLICY);
    assertThrows(
        CancellationException.class,
        () ->
            retry.executeCheckedSupplier(() -> {
              calls.incrementAndGet();
              throw new CancellationException();
            }));
    assertEquals(1, calls.get());
  }

  @Test
  void whatSteadfastHasDecided_isNotRetriedOnTop() {
    Retry retry = Resilience4jRetries.retry("db", POLICY);
    Retrier twice =
        Retrier.builder()
            .policy(RetryPolicy.builder().maxAttempts(2).backoff(Backoff.none()).build())
            .build();
    assertThrows(
        IOException.class, () -> retry.executeCheckedSupplier(() -> twice.call(this::failing)));
    assertEquals(2, calls.get());
  }

  @Test
  void aClientThatIsToldNotToRetry_leavesItToResilience4j() {
    Retry retry = Resilience4jRetries.retry("db", POLICY);
    Retrier once = Retrier.builder().policy(RetryPolicy.noRetry()).build();
    assertThrows(
        IOException.class, () -> retry.executeCheckedSupplier(() -> once.call(this::failing)));
    assertEquals(4, calls.get());
  }

  @Test
  void aFailureWithoutAReport_isOfNoKnownKind() {
    RetryPolicy policy =
        POLICY.toBuilder()
            .backoff(FailureKind.OTHER, Backoff.fixed(Duration.ofMillis(7)))
            .backoff(FailureKind.THROTTLED, Backoff.fixed(Duration.ofMillis(9)))
            .build();
    RetryConfig config = Resilience4jRetries.retryConfig(policy);
    assertEquals(
        7, config.<String>getIntervalBiFunction().apply(1, Either.left(new IOException("down"))));
  }

  @Test
  void theConfigurationIsResilience4js() {
    RetryConfig config = Resilience4jRetries.retryConfig(POLICY);
    assertEquals(4, config.getMaxAttempts());
    Retry retry = Retry.of("x", config);
    assertSame(config, retry.getRetryConfig());
  }
}
