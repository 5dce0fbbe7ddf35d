package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.RetryTrace;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is special about work on the calling thread: it waits there, and it can be interrupted. */
class RetrierCallTest {
  private final FakeTime time = new FakeTime();
  private final EventLog log = new EventLog();
  private final CountingGuard guard = new CountingGuard();
  private final CountingBudget budget = new CountingBudget(100);

  private Retrier.Builder retrier(String policy) {
    return Retrier.builder()
        .policy(RetryPolicy.valueOf(policy))
        .environment(time.environment())
        .budget(budget)
        .guard(guard)
        .listener(log);
  }

  private static Object failing(AtomicInteger calls) throws IOException {
    throw new IOException("no. " + calls.incrementAndGet());
  }

  @AfterEach
  void nothingIsLeftBehind() {
    Thread.interrupted();
    guard.verify();
    budget.verify(Math.max(0, log.attemptsStarted() - 1));
    assertEquals(0, time.pending());
  }

  @Test
  void waitsOnTheCallingThread() throws Exception {
    Retrier retrier = retrier("backoff=fixed(3s)").build();
    AtomicInteger calls = new AtomicInteger();
    FutureTask<Object> call = started(() -> retrier.call(() -> failing(calls)));
    for (int wait = 1; wait <= 2; wait++) {
      time.awaitPending(1);
      assertEquals(wait, calls.get());
      time.advance(java.time.Duration.ofNanos(2_999_999_999L));
      assertEquals(1, time.pending());
      time.advance(java.time.Duration.ofNanos(1));
    }
    log.awaitEnd();
    Throwable thrown = outcome(call);
    assertEquals("no. 3", thrown.getMessage());
    log.verify();
  }

  @Test
  void anInterruptEndsTheWait_andTheTokenGoesBack() throws Exception {
    Retrier retrier = retrier("backoff=fixed(3s)").build();
    AtomicInteger calls = new AtomicInteger();
    FutureTask<Object> call = new FutureTask<>(() -> retrier.call(() -> failing(calls)));
    Thread caller = new Thread(call, "caller");
    caller.start();
    time.awaitPending(1);
    caller.interrupt();
    Throwable thrown = outcome(call);
    assertInstanceOf(InterruptedException.class, thrown);
    assertEquals(1, RetryReport.of(thrown).orElseThrow().attempts());
    log.awaitEnd().verify();
    assertEquals("1 IOException, wait 3s backoff, interrupted", log.trace());
    assertEquals(1, calls.get());
  }

  @Test
  void anInterruptFromBefore_leavesTheFirstAttempt_andEndsTheWait() {
    Retrier retrier = retrier("backoff=fixed(3s)").build();
    Thread.currentThread().interrupt();
    AtomicInteger calls = new AtomicInteger();
    assertThrows(InterruptedException.class, () -> retrier.call(() -> failing(calls)));
    assertFalse(Thread.currentThread().isInterrupted()); // the exception says it
    assertEquals("1 IOException, wait 3s backoff, interrupted", log.trace());
    assertEquals(1, calls.get());
  }

  @Test
  void anInterruptFromBefore_doesNotTouchASuccess() throws Exception {
    Thread.currentThread().interrupt();
    assertEquals("a", retrier("").build().call(() -> "a"));
    assertTrue(Thread.currentThread().isInterrupted());
  }

  @Test
  void anInterruptEndsRetries_alsoWhereThereIsNoWait() {
    Retrier retrier = retrier("backoff=none; maxAttempts=1000").build();
    AtomicInteger calls = new AtomicInteger();
    assertThrows(
        InterruptedException.class,
        () ->
            retrier.call(() -> {
              if (calls.get() == 4) {
                Thread.currentThread().interrupt();
              }
              return failing(calls);
            }));
    assertEquals(5, calls.get());
    assertTrue(log.trace().endsWith("5 IOException, wait 0s backoff, interrupted"), log.trace());
  }

  @Test
  void aDeadlineThatPassesDuringTheWait_isATimeout() {
    RetryScheduler late =
        new RetryScheduler() {
          @Override
          public boolean isVirtual() {
            return true;
          }

          @Override
          public Task schedule(long delayNanos, Runnable task) {
            throw new AssertionError("nothing is scheduled for work on the calling thread");
          }

          @Override
          public boolean await(CountDownLatch wake, long nanos) {
            time.advance(java.time.Duration.ofSeconds(9)); // the thread got no turn
            return false;
          }
        };
    Retrier retrier =
        retrier("backoff=fixed(1s); totalTimeout=5s")
            .environment(time.environment().withScheduler(late))
            .build();
    AtomicInteger calls = new AtomicInteger();
    TimeoutException thrown =
        assertThrows(TimeoutException.class, () -> retrier.call(() -> failing(calls)));
    assertEquals("deadline exceeded", thrown.getMessage());
    assertEquals("1 IOException, wait 1s backoff, deadline", log.trace());
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals("no. 1", report.last().orElseThrow().failure().orElseThrow().getMessage());
  }

  @Test
  void aSchedulerThatRejects_endsTheOperation_andTheTokenGoesBack() {
    RetryScheduler closed = new ClosedScheduler();
    Retrier retrier =
        retrier("backoff=fixed(1s)").environment(time.environment().withScheduler(closed)).build();
    AtomicInteger calls = new AtomicInteger();
    Exception thrown =
        assertThrows(RejectedExecutionException.class, () -> retrier.call(() -> failing(calls)));
    assertEquals("the scheduler accepts no retry", thrown.getMessage());
    assertEquals("closed", thrown.getCause().getMessage());
    assertEquals("1 IOException, wait 1s backoff, rejected by the scheduler", log.trace());
  }

  @Test
  void theLastExceptionIsThrownUnchanged() {
    IOException failure = new IOException("x", new IllegalStateException("cause"));
    StackTraceElement[] stack = failure.getStackTrace();
    Retrier retrier = retrier("maxAttempts=1").build();
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                retrier.call(() -> {
                  throw failure;
                }));
    assertSame(failure, thrown);
    assertEquals("cause", thrown.getCause().getMessage());
    assertEquals(stack.length, thrown.getStackTrace().length);
    assertEquals(1, thrown.getSuppressed().length);
    assertInstanceOf(RetryTrace.class, thrown.getSuppressed()[0]);
  }

  @Test
  void aRefusalAfterAResultThatIsNoHttp_hasNoStatus() {
    guard.refusingAttempt(2);
    Retrier retrier = retrier("backoff=none").retryResults("busy"::equals).build();
    AttemptRefusedException refused =
        assertThrows(AttemptRefusedException.class, () -> retrier.call(() -> "busy"));
    assertEquals(OptionalInt.empty(), refused.status());
    assertNotNull(refused.getCause());
  }

  @Test
  void aTimeoutOfTheWork_isOfThatKind() {
    Retrier retrier = retrier("maxAttempts=1").build();
    TimeoutException thrown =
        assertThrows(
            TimeoutException.class,
            () ->
                retrier.call(() -> {
                  throw new TimeoutException("x");
                }));
    AttemptReport last = RetryReport.of(thrown).orElseThrow().last().orElseThrow();
    assertEquals(FailureKind.TIMEOUT, last.kind().orElseThrow());
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a caller without null checks may do
  void rejectsBadConfiguration() {
    Retrier.Builder builder = Retrier.builder();
    assertThrows(NullPointerException.class, () -> builder.policy(null));
    assertThrows(NullPointerException.class, () -> builder.budget(null));
    assertThrows(NullPointerException.class, () -> builder.environment(null));
    assertThrows(NullPointerException.class, () -> builder.guard(null));
    assertThrows(NullPointerException.class, () -> builder.listener(null));
    assertThrows(NullPointerException.class, () -> builder.retryExceptions(null));
    assertThrows(NullPointerException.class, () -> builder.retryResults(null));
    assertThrows(NullPointerException.class, () -> builder.name(null));
    Exception blank = assertThrows(IllegalArgumentException.class, () -> builder.name(" "));
    assertEquals("name: \" \" (expected: not empty)", blank.getMessage());
    assertThrows(NullPointerException.class, () -> builder.build().call(null));
    assertThrows(NullPointerException.class, () -> builder.build().callAsync(null));
  }

  @Test
  void eachOperationThatIsHeardOf_hasAnObjectOfItsOwn() throws Exception {
    List<OperationInfo> heard = new ArrayList<>();
    Retrier retrier =
        Retrier.builder()
            .environment(time.environment())
            .budget(budget)
            .listener(
                new RetryListener() {
                  @Override
                  public void operationStarted(OperationInfo operation) {
                    heard.add(operation);
                  }
                })
            .build();
    retrier.call(() -> "a");
    retrier.call(() -> "b");
    assertEquals(2, heard.size());
    assertNotSame(heard.get(0), heard.get(1));
  }

  @Test
  void aBuilderThatGoesOn_doesNotTouchARetrierThatWasBuilt() throws Exception {
    EventLog other = new EventLog();
    Retrier.Builder builder = retrier("");
    Retrier built = builder.build();
    builder.listener(other).name("other");
    assertEquals("a", built.call(() -> "a"));
    assertEquals("", other.trace());
  }

  private static <T> FutureTask<T> started(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    new Thread(task, "caller").start();
    return task;
  }

  private static Throwable outcome(FutureTask<Object> call) {
    return assertThrows(
            java.util.concurrent.ExecutionException.class, () -> call.get(30, TimeUnit.SECONDS))
        .getCause();
  }
}
