package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is special about work without a thread: its future, which anybody may end. */
class RetrierAsyncTest {
  private final FakeTime time = new FakeTime();
  private final EventLog log = new EventLog();
  private final CountingGuard guard = new CountingGuard();
  private final CountingBudget budget = new CountingBudget(100);
  private final List<CompletableFuture<String>> stages = new ArrayList<>();

  private Retrier retrier(String policy) {
    return Retrier.builder()
        .policy(RetryPolicy.valueOf(policy))
        .environment(time.environment())
        .budget(budget)
        .guard(guard)
        .listener(log)
        .build();
  }

  /** Work whose stages the test completes. */
  private CompletionStage<String> stage() {
    CompletableFuture<String> stage = new CompletableFuture<>();
    stages.add(stage);
    return stage;
  }

  private CompletableFuture<String> last() {
    return stages.get(stages.size() - 1);
  }

  private CompletableFuture<String> start(String policy) {
    return retrier(policy).callAsync(this::stage);
  }

  private void verify(String trace) throws InterruptedException {
    log.awaitEnd().verify();
    assertEquals(trace, log.trace());
  }

  @AfterEach
  void nothingIsLeftBehind() throws Exception {
    log.awaitEnd().verify();
    guard.verify();
    budget.verify(Math.max(0, log.attemptsStarted() - 1));
    assertEquals(0, time.pending());
  }

  @Test
  void holdsNoThread_andEndsWithTheStage() throws Exception {
    CompletableFuture<String> future = start("backoff=fixed(1s)");
    assertFalse(future.isDone());
    last().completeExceptionally(new IOException("x"));
    assertFalse(future.isDone());
    assertEquals(1, time.pending());
    time.advance(Duration.ofSeconds(1));
    assertEquals(2, stages.size());
    last().complete("a");
    assertEquals("a", future.join());
    verify("1 IOException, wait 1s backoff, 2 ok, accepted");
  }

  @Test
  void theFirstAttemptStartsOnTheCallingThread() throws Exception {
    List<Thread> threads = new ArrayList<>();
    retrier("")
        .callAsync(() -> {
          threads.add(Thread.currentThread());
          return CompletableFuture.completedFuture("a");
        });
    assertEquals(List.of(Thread.currentThread()), threads);
  }

  @Test
  void workThatThrowsInsteadOfGivingAStage_failsTheAttempt() throws Exception {
    List<String> calls = new ArrayList<>();
    CompletableFuture<String> future =
        retrier("backoff=none")
            .callAsync(() -> {
              calls.add("call");
              if (calls.size() == 1) {
                throw new IllegalStateException("x");
              }
              return CompletableFuture.completedFuture("a");
            });
    assertEquals("a", future.join());
    verify("1 IllegalStateException, wait 0s backoff, 2 ok, accepted");
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what careless work may do
  void workThatGivesNoStage_saysSo() throws Exception {
    CompletableFuture<String> future = retrier("maxAttempts=1").callAsync(() -> null);
    Throwable thrown = future.handle((value, failure) -> failure).join();
    assertEquals("the stage that the work returned: null (expected: a value)", thrown.getMessage());
    verify("1 NullPointerException, attempts exhausted");
  }

  @Test
  void aStageThatIsNoFuture_cannotBeStopped_andItsLateResultIsDropped() throws Exception {
    CompletableFuture<String> inner = new CompletableFuture<>();
    CompletableFuture<String> future =
        retrier("attemptTimeout=1s; maxAttempts=1").callAsync(inner::minimalCompletionStage);
    time.advance(Duration.ofSeconds(1));
    assertTrue(future.isCompletedExceptionally());
    inner.complete("late");
    verify("1 TimeoutException, attempts exhausted");
  }

  @Test
  void anAttemptThatTakesTooLong_isCancelled() throws Exception {
    CompletableFuture<String> future = start("attemptTimeout=1s; backoff=none");
    time.advance(Duration.ofSeconds(1));
    assertTrue(stages.get(0).isCancelled());
    assertEquals(2, stages.size());
    last().complete("a");
    assertEquals("a", future.join());
    verify("1 TimeoutException, wait 0s backoff, 2 ok, accepted");
    AttemptReport first = log.report().attemptReports().get(0);
    assertEquals(FailureKind.TIMEOUT, first.kind().orElseThrow());
    assertEquals(Duration.ofSeconds(1), first.took());
  }

  @Test
  void workThatCancelsItself_isNotRetried() throws Exception {
    CompletableFuture<String> future = start("");
    last().cancel(true);
    assertInstanceOf(
        CancellationException.class, future.handle((value, failure) -> failure).join());
    verify("1 CancellationException, cancelled");
  }

  @Test
  void theLastFailureIsTheFutures_unchanged() throws Exception {
    CompletableFuture<String> future = start("maxAttempts=1");
    IOException failure = new IOException("x");
    last().completeExceptionally(failure);
    CompletionException thrown = assertThrows(CompletionException.class, future::join);
    assertSame(failure, thrown.getCause());
    assertSame(log.report(), RetryReport.of(thrown).orElseThrow());
    verify("1 IOException, attempts exhausted");
  }

  // Ends from outside.

  /** Ways to end an operation by its future. */
  static Stream<Arguments> endings() {
    return Stream.of(
        Arguments.of("cancel", false, ends(each -> each.cancel(true))),
        Arguments.of("cancel without interrupt", false, ends(each -> each.cancel(false))),
        Arguments.of("complete", false, ends(each -> each.complete("outside"))),
        Arguments.of(
            "completeExceptionally",
            false,
            ends(each -> each.completeExceptionally(new IOException("outside")))),
        Arguments.of("completeAsync", false, ends(each -> each.completeAsync(() -> "outside"))),
        Arguments.of("orTimeout", false, ends(each -> each.orTimeout(1, TimeUnit.NANOSECONDS))),
        Arguments.of(
            "completeOnTimeout",
            false,
            ends(each -> each.completeOnTimeout("outside", 1, TimeUnit.NANOSECONDS))),
        Arguments.of(
            "cancel of thenApply", true, ends(each -> each.thenApply(x -> x).cancel(true))),
        Arguments.of(
            "cancel of a chain",
            true,
            ends(each ->
                each.thenApply(x -> x)
                    .thenCompose(CompletableFuture::completedFuture)
                    .whenComplete((x, e) -> {})
                    .handle((x, e) -> x)
                    .cancel(true))),
        Arguments.of("cancel of a copy", true, ends(each -> each.copy().cancel(true))));
  }

  private static Consumer<CompletableFuture<String>> ends(Consumer<CompletableFuture<String>> end) {
    return end;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("endings")
  void endsTheWait_andTheTokenGoesBack(
      String name, boolean derived, Consumer<CompletableFuture<String>> end) throws Exception {
    CompletableFuture<String> future = start("backoff=fixed(1s)");
    last().completeExceptionally(new IOException("x"));
    end.accept(future);
    log.awaitEnd();
    time.advance(Duration.ofSeconds(9));
    assertEquals(1, stages.size(), name);
    verify("1 IOException, wait 1s backoff, cancelled");
    // The listener is called first, and the thread that ends the operation may be another one.
    future.handle((x, e) -> x).get(10, TimeUnit.SECONDS);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("endings")
  void endsTheAttempt(String name, boolean derived, Consumer<CompletableFuture<String>> end)
      throws Exception {
    CompletableFuture<String> future = start("backoff=fixed(1s)");
    end.accept(future);
    log.awaitEnd();
    // The thread that ends the operation may stop its attempt after the listener has heard the end.
    assertThrows(CancellationException.class, () -> last().get(30, TimeUnit.SECONDS), name);
    verify("1 CancellationException, cancelled");
    if (derived) {
      // The operation's own future completes, too.
      assertInstanceOf(
          CancellationException.class, future.handle((value, failure) -> failure).join());
    } else {
      // The listener is called first, and the thread that ends the operation may be another one.
      future.handle((x, e) -> x).get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void whoCompletesTheFuture_learnsWhoWasFirst() throws Exception {
    CompletableFuture<String> completed = start("");
    assertTrue(completed.complete("outside"));
    assertFalse(completed.complete("again"));
    assertFalse(completed.completeExceptionally(new IOException("again")));
    assertFalse(completed.cancel(true));
    assertEquals("outside", completed.join());
    log.awaitEnd();
  }

  @Test
  void whoFailsTheFuture_learnsWhoWasFirst() throws Exception {
    CompletableFuture<String> failed = start("");
    assertTrue(failed.completeExceptionally(new IOException("outside")));
    assertFalse(failed.complete("again"));
    log.awaitEnd();
  }

  @Test
  void whoCancelsTheFuture_learnsWhoWasFirst() throws Exception {
    CompletableFuture<String> cancelled = start("");
    assertTrue(cancelled.cancel(true));
    assertTrue(cancelled.cancel(true)); // the JDK answers a second call like the first
    assertFalse(cancelled.complete("again"));
    log.awaitEnd();
  }

  @Test
  void whoCompletesADerivedFuture_learnsWhoWasFirst() throws Exception {
    CompletableFuture<String> future = start("");
    CompletableFuture<String> derived = future.thenApply(x -> x);
    assertTrue(derived.complete("outside"));
    assertFalse(derived.complete("again"));
    last().complete("a");
    assertEquals("a", future.join());
    log.awaitEnd();
  }

  @Test
  void anOutcomeCannotBeForcedOnTheFuture() throws Exception {
    CompletableFuture<String> future = start("");
    assertThrows(UnsupportedOperationException.class, () -> future.obtrudeValue("outside"));
    assertThrows(
        UnsupportedOperationException.class, () -> future.obtrudeException(new IOException("x")));
    last().complete("a");
    assertEquals("a", future.join());
    log.awaitEnd();
  }

  @Test
  void completeAsync_givesTheFutureItself() throws Exception {
    CompletableFuture<String> future = start("");
    assertSame(future, future.completeAsync(() -> "outside", Runnable::run));
    assertEquals("outside", future.join());
    log.awaitEnd();
  }

  /**
   * Only a cancellation reaches up: what is derived may be given a value while the rest goes on.
   */
  @Test
  void completingADerivedFuture_endsNothing() throws Exception {
    CompletableFuture<String> future = start("");
    CompletableFuture<String> derived = future.thenApply(x -> x);
    derived.complete("outside");
    future.copy().completeExceptionally(new IOException("outside"));
    last().complete("a");
    assertEquals("a", future.join());
    assertEquals("outside", derived.join());
    log.awaitEnd();
    verify("1 ok, accepted");
  }

  @Test
  void theCancellersOwnOutcomeStands() throws Exception {
    CompletableFuture<String> future = start("");
    future.complete("outside");
    log.awaitEnd();
    assertEquals("outside", future.join());
  }

  @Test
  void aTimeoutOfTheCallers_isATimeout() throws Exception {
    CompletableFuture<String> future = start("").orTimeout(1, TimeUnit.NANOSECONDS);
    log.awaitEnd();
    CompletionException thrown = assertThrows(CompletionException.class, future::join);
    assertInstanceOf(TimeoutException.class, thrown.getCause());
    verify("1 CancellationException, cancelled");
  }

  @Test
  void cancelAfterTheEnd_changesNothing() throws Exception {
    CompletableFuture<String> future = start("");
    CompletableFuture<String> pending = future.thenCombine(new CompletableFuture<>(), (x, y) -> x);
    last().complete("a");
    pending.cancel(true);
    future.cancel(true);
    assertEquals("a", future.join());
    verify("1 ok, accepted");
  }

  @Test
  void callbacksDoNotRunOnTheCancellersThread() throws Exception {
    List<Thread> threads = new ArrayList<>();
    Retrier retrier =
        Retrier.builder()
            .environment(time.environment())
            .budget(budget)
            .listener(
                new RetryListener() {
                  @Override
                  public void ended(OperationInfo operation, RetryReport report) {
                    threads.add(Thread.currentThread());
                  }
                })
            .listener(log)
            .build();
    CompletableFuture<String> future = retrier.callAsync(this::stage);
    future.cancel(true);
    log.awaitEnd();
    assertEquals(1, threads.size());
    assertNotSame(Thread.currentThread(), threads.get(0));
  }

  @Test
  void aFailureInACallbackStaysThere() throws Exception {
    CompletableFuture<String> future = start("");
    CompletableFuture<String> derived =
        future.thenApply(value -> {
          throw new IllegalStateException("callback");
        });
    last().complete("a");
    assertEquals("a", future.join());
    assertThrows(CompletionException.class, derived::join);
    verify("1 ok, accepted");
  }
}
