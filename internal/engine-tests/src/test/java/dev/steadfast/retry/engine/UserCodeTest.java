package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Budgets and guards of the user that throw: an operation still ends, and only once. */
class UserCodeTest {
  private static RuntimeException broken() {
    return new IllegalArgumentException("broken");
  }

  /** Throws in one method. */
  private record BrokenBudget(String where) implements RetryBudget, RetryBudget.Account {
    private void in(String method) {
      if (method.equals(where)) {
        throw broken();
      }
    }

    @Override
    public Account account(String origin) {
      return this;
    }

    @Override
    public void operationBegan(long nowNanos) {
      in("operationBegan");
    }

    @Override
    public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
      in("attemptFailed");
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      in("tryWithdraw");
      return Withdrawal.of(1);
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      in("refund");
    }

    @Override
    public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
      in("operationEnded");
    }
  }

  static Stream<Arguments> brokenBudgets() {
    List<Arguments> rows = new ArrayList<>();
    for (String where : List.of("attemptFailed", "tryWithdraw", "operationEnded", "refund")) {
      for (String course : List.of("succeeds", "fails", "is cancelled in the wait")) {
        rows.add(Arguments.of(where, course));
      }
    }
    return rows.stream();
  }

  @ParameterizedTest
  @MethodSource("brokenBudgets")
  void anOperationEndsOnce_whateverItsBudgetThrows(String where, String course) throws Exception {
    FakeTime time = new FakeTime();
    EventLog log = new EventLog();
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("backoff=fixed(1s)"))
            .environment(time.environment())
            .budget(new BrokenBudget(where))
            .listener(log)
            .build();
    CompletableFuture<Object> future =
        retrier.callAsync(() ->
            course.equals("succeeds")
                ? CompletableFuture.completedFuture("a")
                : CompletableFuture.failedFuture(new IOException("x")));
    if (course.equals("is cancelled in the wait")) {
      future.cancel(true);
    }
    time.advance(Duration.ofSeconds(9));
    log.awaitEnd().verify();
    assertTrue(future.isDone());
    assertEquals(0, time.pending());
    if (course.equals("fails")) {
      Throwable thrown = future.handle((value, failure) -> failure).join();
      assertEquals(!where.equals("refund"), mentions(thrown, "broken"), () -> thrown + "");
      assertTrue(mentions(thrown, "x"), () -> thrown + "");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOperationThatItsBudgetDoesNotLetBegin_neverBegan(boolean async) {
    EventLog log = new EventLog();
    Retrier retrier =
        Retrier.builder().budget(new BrokenBudget("operationBegan")).listener(log).build();
    assertThrows(
        IllegalArgumentException.class,
        () -> {
          if (async) {
            retrier.callAsync(() -> CompletableFuture.completedFuture("a"));
          } else {
            retrier.call(() -> "a");
          }
        });
    assertFalse(log.began());
  }

  @Test
  void whatABudgetThrowsAtTheEnd_isKeptBesideTheReasonOfTheEnd() {
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("backoff=fixed(1s)"))
            .environment(new FakeTime().environment().withScheduler(new ClosedScheduler()))
            .budget(new BrokenBudget("refund"))
            .build();
    Throwable thrown =
        assertThrows(
            RejectedExecutionException.class,
            () ->
                retrier.call(() -> {
                  throw new IOException("x");
                }));
    assertTrue(mentions(thrown, "broken"), () -> thrown + "");
  }

  /** Notes the end of operations, and cannot take a withdrawal back. */
  private static final class NoRefunds implements RetryBudget, RetryBudget.Account {
    private final List<Outcome> ended = new ArrayList<>();

    @Override
    public Account account(String origin) {
      return this;
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      return Withdrawal.of(1);
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      throw broken();
    }

    @Override
    public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
      ended.add(outcome);
    }
  }

  @Test
  void aBudgetThatCannotTakeAWithdrawalBack_isToldOfTheEndAllTheSame() {
    NoRefunds budget = new NoRefunds();
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("backoff=fixed(1s)"))
            .environment(new FakeTime().environment().withScheduler(new ClosedScheduler()))
            .budget(budget)
            .build();
    assertThrows(
        RejectedExecutionException.class,
        () ->
            retrier.call(() -> {
              throw new IOException("x");
            }));
    assertEquals(List.of(RetryBudget.Outcome.UNKNOWN), budget.ended);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBudgetThatThrowsAtTheEnd_doesNotHideAnInterrupt(boolean heard) {
    InterruptedException interrupted = new InterruptedException();
    Retrier.Builder builder = Retrier.builder().budget(new BrokenBudget("operationEnded"));
    Retrier retrier = heard ? builder.listener(new EventLog()).build() : builder.build();
    assertSame(
        interrupted,
        assertThrows(
            InterruptedException.class,
            () ->
                retrier.call(() -> {
                  throw interrupted;
                })));
    assertTrue(mentions(interrupted, "broken"));
  }

  /** Throws one exception, made in advance, whatever it is asked. */
  private record Prepared(RuntimeException thrown) implements RetryBudget, RetryBudget.Account {
    @Override
    public Account account(String origin) {
      return this;
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      throw thrown;
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      throw thrown;
    }

    @Override
    public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
      throw thrown;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anExceptionMadeInAdvanceEndsEachOperation_andDoesNotGrow(boolean async) throws Exception {
    RuntimeException prepared = broken();
    EventLog log = new EventLog();
    Retrier.Builder builder =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("backoff=none"))
            .budget(new Prepared(prepared));
    Retrier retrier = async ? builder.listener(log).build() : builder.build();
    for (int i = 0; i < 100; i++) {
      Throwable thrown =
          assertThrows(
              Exception.class,
              () -> {
                if (async) {
                  CompletableFuture<String> stage = new CompletableFuture<>();
                  CompletableFuture<String> future = retrier.callAsync(() -> stage);
                  stage.completeExceptionally(new IOException("x"));
                  assertTrue(future.isDone());
                  future.get();
                } else {
                  retrier.call(() -> {
                    throw new IOException("x");
                  });
                }
              });
      assertSame(prepared, async ? thrown.getCause() : thrown);
    }
    assertTrue(prepared.getSuppressed().length < 40, () -> prepared.getSuppressed().length + "");
    assertTrue(RetryReport.of(prepared).isPresent());
  }

  private static boolean mentions(Throwable thrown, String message) {
    if (message.equals(thrown.getMessage())) {
      return true;
    }
    for (Throwable each : thrown.getSuppressed()) {
      if (message.equals(each.getMessage())) {
        return true;
      }
    }
    return false;
  }

  static Stream<Throwable> whatAPermitThrows() {
    return Stream.of(broken(), new AssertionError("broken"));
  }

  /** Admits always; its permits throw what they are given. */
  private record BrokenPermits(Throwable thrown) implements Guard, Guard.Permit {
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private <T extends Throwable> T sneak() throws T {
      throw (T) thrown;
    }

    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return 0;
    }

    @Override
    public Permit acquire(OperationInfo origin, long nowNanos) {
      return this;
    }

    @Override
    public void succeeded(long elapsedNanos) {
      throw this.<RuntimeException>sneak();
    }

    @Override
    public void failed(Guard.Failure how, Throwable failure) {
      throw this.<RuntimeException>sneak();
    }

    @Override
    public void released() {
      throw this.<RuntimeException>sneak();
    }
  }

  @ParameterizedTest
  @MethodSource("whatAPermitThrows")
  void aPermitThatThrowsWhenItIsAnswered_changesNothing_alsoNotForTheOthers(Throwable thrown)
      throws Exception {
    FakeTime time = new FakeTime();
    EventLog log = new EventLog();
    CountingGuard before = new CountingGuard();
    CountingGuard after = new CountingGuard();
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("backoff=fixed(1s)"))
            .environment(time.environment())
            .listener(log)
            .guard(before)
            .guard(new BrokenPermits(thrown))
            .guard(after)
            .build();
    List<CompletableFuture<Object>> stages =
        new ArrayList<>(
            List.of(
                CompletableFuture.failedFuture(new IOException("x")),
                CompletableFuture.completedFuture("a")));
    CompletableFuture<Object> future = retrier.callAsync(() -> stages.remove(0));
    assertFalse(future.isDone());
    time.advance(Duration.ofSeconds(1));
    assertEquals("a", future.join());
    log.verify();
    assertEquals("1 failed IOException, 2 succeeded", before.answers());
    assertEquals("1 failed IOException, 2 succeeded", after.answers());
  }

  @ParameterizedTest
  @MethodSource("whatAPermitThrows")
  void aGuardThatThrowsWhenItIsAsked_endsTheOperation(Throwable thrown) {
    FakeTime time = new FakeTime();
    EventLog log = new EventLog();
    CountingBudget budget = new CountingBudget(9);
    Guard asked =
        new Guard() {
          @Override
          public long admitsInNanos(OperationInfo operation, long nowNanos) {
            throw new BrokenPermits(thrown).<RuntimeException>sneak();
          }

          @Override
          public Permit acquire(OperationInfo origin, long nowNanos) {
            return new CountingGuard().acquire(origin, nowNanos);
          }
        };
    Retrier retrier =
        Retrier.builder()
            .environment(time.environment())
            .budget(budget)
            .guard(asked)
            .listener(log)
            .build();
    CompletableFuture<Object> future =
        retrier.callAsync(() -> CompletableFuture.failedFuture(new IOException("x")));
    Throwable failure = future.handle((value, each) -> each).join();
    assertEquals(thrown, failure);
    assertTrue(mentions(failure, "x"));
    assertEquals("1 IOException, user code failed", log.trace());
    log.verify();
    budget.verify(0);
  }

  @ParameterizedTest
  @MethodSource("whatAPermitThrows")
  void aGuardThatThrowsAnything_refuses_andTheGuardsBeforeItGetTheirPermitsBack(Throwable thrown) {
    FakeTime time = new FakeTime();
    EventLog log = new EventLog();
    CountingGuard before = new CountingGuard();
    Guard refusing =
        new Guard() {
          @Override
          public long admitsInNanos(OperationInfo operation, long nowNanos) {
            return 0;
          }

          @Override
          public Permit acquire(OperationInfo origin, long nowNanos) {
            throw new BrokenPermits(thrown).<RuntimeException>sneak();
          }
        };
    Retrier retrier =
        Retrier.builder()
            .environment(time.environment())
            .guard(before)
            .guard(refusing)
            .listener(log)
            .build();
    CompletableFuture<Object> future =
        retrier.callAsync(() -> CompletableFuture.completedFuture("never"));
    Throwable failure = future.handle((value, each) -> each).join();
    assertEquals(thrown, failure.getCause());
    assertNotNull(RetryReport.of(failure).orElseThrow());
    assertEquals("1 released", before.answers());
    assertEquals("refused by a guard", log.trace());
    before.verify();
    log.verify();
  }
}
