package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Layers that retry, one within the other, and what a scope imposes on them. */
class RetrierNestingTest {
  private final FakeTime time = new FakeTime();
  private final Ledger ledger = new Ledger();
  private final AtomicInteger calls = new AtomicInteger();

  @AfterEach
  void nothingIsLeftBehind() {
    assertNull(CallContext.current());
    assertEquals(0, time.pending());
  }

  private Retrier retrier(String policy, RetryBudget budget) {
    return Retrier.builder()
        .policy(RetryPolicy.valueOf(policy))
        .environment(time.environment())
        .budget(budget)
        .listener(time.skipWaits())
        .build();
  }

  private Retrier retrier() {
    return retrier("maxAttempts=3; backoff=fixed(1s)", RetryBudget.unlimited());
  }

  private Object failing() throws IOException {
    throw new IOException("no. " + calls.incrementAndGet());
  }

  private RetryScope scope(Map<String, String> headers) {
    ScopeOptions options = ScopeOptions.builder().environment(time.environment()).build();
    return RetryScope.enter(headers::get, null, options);
  }

  /** The two ways to call. */
  enum Way {
    CALL {
      @Override
      Object through(Retrier retrier, Callable<?> work) throws Exception {
        return retrier.call(() -> work.call());
      }
    },
    CALL_ASYNC {
      @Override
      Object through(Retrier retrier, Callable<?> work) throws Exception {
        Supplier<CompletableFuture<Object>> stage =
            () -> {
              try {
                return CompletableFuture.completedFuture(work.call());
              } catch (Exception thrown) {
                return CompletableFuture.failedFuture(thrown);
              }
            };
        try {
          return retrier.callAsync(stage).join();
        } catch (CompletionException thrown) {
          throw (Exception) thrown.getCause();
        }
      }
    };

    abstract Object through(Retrier retrier, Callable<?> work) throws Exception;
  }

  /** A budget that records how it is called. */
  private static final class Ledger implements RetryBudget, RetryBudget.Account {
    private final List<String> entries = new ArrayList<>();

    @Override
    public Account account(String origin) {
      return this;
    }

    @Override
    public void operationBegan(long nowNanos) {
      add("began");
    }

    @Override
    public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
      add("failed");
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      add("took");
      return Withdrawal.of(1);
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      add("refunded");
    }

    @Override
    public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
      add(outcome.toString());
    }

    private synchronized void add(String entry) {
      entries.add(entry);
    }

    synchronized String text() {
      return String.join(", ", entries);
    }
  }

  // One layer retries: the outer one.

  @ParameterizedTest
  @EnumSource
  void oneOfTwo(Way way) {
    Exception thrown =
        assertThrows(
            IOException.class,
            () -> way.through(retrier(), () -> way.through(retrier(), this::failing)));
    assertEquals(3, calls.get());
    assertEquals("no. 3", thrown.getMessage());
    assertEquals(Duration.ofSeconds(2).toNanos(), time.nanos());
  }

  @ParameterizedTest
  @EnumSource
  void oneOfThree(Way way) {
    assertThrows(
        IOException.class,
        () ->
            way.through(
                retrier(),
                () -> way.through(retrier(), () -> way.through(retrier(), this::failing))));
    assertEquals(3, calls.get());
  }

  @Test
  void theInnerOneSaysThatItLeavesItToTheOuter() {
    EventLog log = new EventLog();
    Retrier inner =
        Retrier.builder().environment(time.environment()).listener(log).name("inner").build();
    Retrier once = retrier("maxAttempts=1", RetryBudget.unlimited());
    assertThrows(IOException.class, () -> once.call(() -> inner.call(this::failing)));
    assertEquals("1 IOException, told not to retry", log.trace());
  }

  @Test
  void whatFollowsTheOuterLayerRetriesAgain() throws Exception {
    Retrier retrier = retrier();
    assertEquals("a", retrier.call(() -> retrier.call(() -> "a")));
    assertThrows(IOException.class, () -> retrier.call(this::failing));
    assertEquals(3, calls.get());
  }

  @Test
  void soDoesWhatFollowsALayerThatThrew() {
    Retrier once = retrier("maxAttempts=1", RetryBudget.unlimited());
    assertThrows(
        StackOverflowError.class,
        () ->
            once.call(() -> {
              throw new StackOverflowError("x");
            }));
    assertThrows(IOException.class, () -> retrier().call(this::failing));
    assertEquals(3, calls.get());
  }

  /** The mark is the work's: who goes on after it is outside again, on whatever thread. */
  @Test
  void aStageThatFollowsAnAsynchronousLayerRetriesByItself() {
    CompletableFuture<Object> slow = new CompletableFuture<>();
    CompletableFuture<Object> all =
        retrier()
            .callAsync(() -> slow)
            .handle((result, failure) -> assertThrows(IOException.class, this::retried));
    slow.complete("a");
    assertInstanceOf(IOException.class, all.join());
    assertEquals(3, calls.get());
  }

  private Object retried() throws Exception {
    return retrier().call(this::failing);
  }

  @Test
  void aTaskThatTheWorkHandsOnCarriesTheMarkIfItIsWrapped() throws Exception {
    Retrier outer = retrier("maxAttempts=1", RetryBudget.unlimited());
    AtomicInteger bare = new AtomicInteger();
    outer.call(() -> {
      List<Thread> threads =
          List.of(
              new Thread(RetryScope.wrap(() -> swallow(calls))), new Thread(() -> swallow(bare)));
      threads.forEach(Thread::start);
      for (Thread each : threads) {
        each.join();
      }
      return "a";
    });
    assertEquals(1, calls.get());
    assertEquals(3, bare.get());
  }

  private void swallow(AtomicInteger counter) {
    assertThrows(
        IOException.class,
        () ->
            retrier()
                .call(() -> {
                  throw new IOException("no. " + counter.incrementAndGet());
                }));
  }

  // The budget.

  @ParameterizedTest
  @EnumSource
  void aSharedBudgetIsToldByTheOuterLayerAlone(Way way) throws Exception {
    Retrier retrier = retrier("maxAttempts=3; backoff=fixed(1s)", ledger);
    Object result =
        way.through(
            retrier,
            () ->
                way.through(
                    retrier,
                    () ->
                        way.through(
                            retrier, () -> calls.incrementAndGet() < 3 ? failAgain() : "a")));
    assertEquals("a", result);
    assertEquals(3, calls.get());
    assertEquals("began, failed, took, failed, took, SUCCEEDED", ledger.text());
  }

  private static Object failAgain() throws IOException {
    throw new IOException("again");
  }

  @ParameterizedTest
  @EnumSource
  void aBudgetOfTheInnerLayersOwnSeesItsOperations(Way way) throws Exception {
    Retrier outer = retrier("maxAttempts=3; backoff=fixed(1s)", RetryBudget.unlimited());
    Retrier inner = retrier("maxAttempts=3", ledger);
    way.through(
        outer, () -> way.through(inner, () -> calls.incrementAndGet() < 2 ? failAgain() : "a"));
    assertEquals("began, failed, FAILED, began, SUCCEEDED", ledger.text());
  }

  @Test
  void anOutermostBudgetThatIsSharedAcrossALayerWithItsOwnIsToldOnce() throws Exception {
    Retrier shared = retrier("maxAttempts=3; backoff=fixed(1s)", ledger);
    Retrier between = retrier("maxAttempts=3", RetryBudget.unlimited());
    shared.call(() -> between.call(() -> shared.call(() -> "a")));
    assertEquals("began, SUCCEEDED", ledger.text());
  }

  /** Ten successes earn one retry, however many layers each of them went through. */
  @ParameterizedTest
  @EnumSource
  void theStockBudgetEarnsOncePerSuccess(Way way) throws Exception {
    for (int layers = 1; layers <= 3; layers++) {
      assertEquals(2, retriesAfterTwentySuccesses(way, layers), layers + " layers");
    }
  }

  private int retriesAfterTwentySuccesses(Way way, int layers) throws Exception {
    RetryBudget budget = RetryBudget.successFunded(0.1, 10, 0);
    Retrier retrier = retrier("maxAttempts=100; backoff=none", budget);
    AtomicInteger attempts = new AtomicInteger();
    Callable<Object> fails =
        () -> {
          attempts.incrementAndGet();
          return failAgain();
        };
    assertThrows(IOException.class, () -> stacked(way, retrier, layers, fails)); // the burst
    assertEquals(11, attempts.get());
    for (int i = 0; i < 20; i++) {
      stacked(way, retrier, layers, () -> "a");
    }
    attempts.set(0);
    assertThrows(IOException.class, () -> stacked(way, retrier, layers, fails));
    return attempts.get() - 1;
  }

  private static Object stacked(Way way, Retrier retrier, int layers, Callable<?> work)
      throws Exception {
    return layers == 0
        ? work.call()
        : way.through(retrier, () -> stacked(way, retrier, layers - 1, work));
  }

  // Scopes.

  @ParameterizedTest
  @EnumSource
  void underDoNotRetryThereIsOneAttempt(Way way) {
    try (RetryScope scope = scope(Map.of("Do-Not-Retry", "true"))) {
      assertThrows(IOException.class, () -> way.through(retrier(), this::failing));
      assertEquals(1, calls.get());
      assertFalse(scope.gaveUp());
    }
    assertThrows(IOException.class, () -> way.through(retrier(), this::failing));
    assertEquals(4, calls.get());
  }

  @ParameterizedTest
  @EnumSource
  void theDeadlineOfAScopeBoundsTheRetries(Way way) {
    Retrier retrier = retrier("maxAttempts=9; backoff=fixed(1s)", RetryBudget.unlimited());
    try (RetryScope scope = scope(Map.of("X-Request-Timeout-Ms", "2500"))) {
      IOException thrown =
          assertThrows(IOException.class, () -> way.through(retrier, this::failing));
      assertEquals(3, calls.get());
      assertEquals(StopReason.DEADLINE, RetryReport.of(thrown).orElseThrow().reason());
      assertTrue(scope.gaveUp());
      assertEquals(Optional.of(Duration.ofMillis(500)), scope.remaining());
    }
  }

  @ParameterizedTest
  @EnumSource
  void theDeadlineOfAScopeDoesNotExtendThePolicys(Way way) {
    Retrier retrier =
        retrier("maxAttempts=9; backoff=fixed(1s); totalTimeout=1500ms", RetryBudget.unlimited());
    try (RetryScope scope = scope(Map.of("grpc-timeout", "1H"))) {
      assertThrows(IOException.class, () -> way.through(retrier, this::failing));
      assertEquals(2, calls.get());
      assertTrue(scope.gaveUp());
    }
  }

  @ParameterizedTest
  @EnumSource
  void anExpiredScopeLeavesNoTimeForAnAttempt(Way way) {
    try (RetryScope scope = scope(Map.of("X-Request-Timeout-Ms", "0"))) {
      assertThrows(TimeoutException.class, () -> way.through(retrier(), this::failing));
      assertEquals(0, calls.get());
      assertFalse(scope.gaveUp());
    }
  }

  @Test
  void aDeadlinePassesThroughLayers() throws Exception {
    Retrier patient = retrier("maxAttempts=9; totalTimeout=none", RetryBudget.unlimited());
    try (RetryScope scope = scope(Map.of("X-Request-Timeout-Ms", "2500"))) {
      patient.call(() ->
          patient.call(() -> {
            assertEquals(Optional.of(Duration.ofMillis(2500)), scope.remaining());
            time.advance(Duration.ofSeconds(2));
            CompletableFuture<Object> slow = patient.callAsync(CompletableFuture::new);
            time.advance(Duration.ofMillis(499));
            assertFalse(slow.isDone());
            time.advance(Duration.ofMillis(1));
            assertTrue(slow.isCompletedExceptionally());
            return "a";
          }));
      assertEquals(Optional.of(Duration.ZERO), scope.remaining());
    }
  }

  @Test
  void aScopeThatIsLeftWithinALayerIsLeftForGoodWhenItIsLeftAroundIt() throws Exception {
    Retrier retrier = Retrier.builder().environment(time.environment()).build();
    RetryScope scope = scope(Map.of("Do-Not-Retry", "true"));
    retrier.call(() -> {
      scope.close();
      return "a";
    });
    scope.close();
    assertNull(CallContext.current(), "or it would leak to the next request on this thread");
  }

  /** Later attempts run on the scheduler's threads, which are in no scope of their own. */
  @Test
  void laterAttemptsOfAnAsynchronousCallAreWithinTheScopeTheyWereMadeIn() {
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("maxAttempts=3; backoff=fixed(1s)"))
            .environment(time.environment())
            .build();
    List<Object> seen = new ArrayList<>();
    CompletableFuture<Object> end;
    RetryScope made = scope(Map.of("X-Request-Timeout-Ms", "5000"));
    end =
        retrier.callAsync(() -> {
          seen.add(RetryScope.current().orElseThrow());
          seen.add(CallContext.current() instanceof RetryingLayer);
          return CompletableFuture.failedFuture(new IOException("x"));
        });
    made.close();
    try (RetryScope other = scope(Map.of())) {
      time.advance(Duration.ofSeconds(2)); // runs them here
      assertSame(other, RetryScope.current().orElseThrow());
      assertFalse(other.gaveUp());
    }
    assertTrue(end.isCompletedExceptionally());
    assertEquals(List.of(made, true, made, true, made, true), seen);
    assertTrue(made.gaveUp());
  }
}
