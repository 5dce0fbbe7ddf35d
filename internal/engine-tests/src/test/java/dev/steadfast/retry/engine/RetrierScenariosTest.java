package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryTrace;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One table of scenarios through both entry points of {@link Retrier}. */
class RetrierScenariosTest {
  private static final String POLICY = "backoff=exponential(100ms..20s)";

  /** How an operation is started, and its outcome had. */
  enum Entry {
    CALL {
      @Override
      @Nullable Object run(Retrier retrier, Script script, FakeTime time) throws Throwable {
        return retrier.call(script::call);
      }
    },
    CALL_ASYNC {
      @Override
      @Nullable Object run(Retrier retrier, Script script, FakeTime time) throws Throwable {
        CompletableFuture<@Nullable Object> future = retrier.callAsync(script::start);
        while (!future.isDone()) {
          time.advance(Duration.ofMillis(10));
        }
        // Not get(), which wraps, and on newer JDKs a CancellationException too.
        Throwable thrown = future.handle((value, failure) -> failure).join();
        if (thrown != null) {
          throw thrown;
        }
        return future.join();
      }
    };

    abstract @Nullable Object run(Retrier retrier, Script script, FakeTime time) throws Throwable;
  }

  private static Step io(String message) {
    return Step.fails(new IOException(message));
  }

  private static Step gives(@Nullable Object value) {
    return Step.gives(value);
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  /** Rows for both entry points. */
  private static List<Scenario> both() {
    return List.of(
        Scenario.of("the first result is accepted")
            .work(gives("a"))
            .leadsTo("= a", "1 ok, accepted"),
        Scenario.of("null is a result like any other")
            .work(io("x"), gives(null))
            .leadsTo("= null", "1 IOException, wait 100ms backoff, 2 ok, accepted"),
        Scenario.of("failures are retried until a result")
            .work(io("x"), io("y"), gives("a"))
            .leadsTo(
                "= a",
                "1 IOException, wait 100ms backoff, 2 IOException, wait 200ms backoff, 3 ok,"
                    + " accepted"),
        Scenario.of("the result of the last attempt that is allowed is accepted")
            .policy("maxAttempts=2")
            .work(io("x"), gives("a"))
            .leadsTo("= a", "1 IOException, wait 100ms backoff, 2 ok, accepted"),
        Scenario.of("the last failure is thrown when attempts are exhausted")
            .work(io("x"), io("y"), io("z"))
            .leadsTo(
                "IOException: z",
                "1 IOException, wait 100ms backoff, 2 IOException, wait 200ms backoff,"
                    + " 3 IOException, attempts exhausted"),
        Scenario.of("one attempt is no retry")
            .policy("maxAttempts=1")
            .work(io("x"))
            .leadsTo("IOException: x", "1 IOException, attempts exhausted"),
        Scenario.of("attempts that take time")
            .work(io("x").after(seconds(2)), gives("a").after(seconds(3)))
            .leadsTo("= a", "1 IOException, wait 100ms backoff, 2 ok, accepted"),
        Scenario.of("no wait")
            .policy("backoff=none")
            .work(io("x"), io("y"), gives("a"))
            .leadsTo(
                "= a",
                "1 IOException, wait 0s backoff, 2 IOException, wait 0s backoff, 3 ok, accepted"),
        // which results and exceptions
        Scenario.of("a result that the predicate wants again is retried")
            .given(each -> each.retryResults("busy"::equals))
            .work(gives("busy"), gives("a"))
            .leadsTo("= a", "1 OTHER, wait 100ms backoff, 2 ok, accepted"),
        Scenario.of("the last result is returned when attempts are exhausted")
            .policy("maxAttempts=2")
            .given(each -> each.retryResults("busy"::equals))
            .work(gives("busy"), gives("busy"))
            .leadsTo("= busy", "1 OTHER, wait 100ms backoff, 2 OTHER, attempts exhausted"),
        Scenario.of("null may be a result to retry")
            .given(each -> each.retryResults(Objects::isNull))
            .work(gives(null), gives("a"))
            .leadsTo("= a", "1 OTHER, wait 100ms backoff, 2 ok, accepted"),
        Scenario.of("an exception that the predicate does not want ends it")
            .given(each -> each.retryExceptions(e -> !(e instanceof FileNotFoundException)))
            .work(io("x"), Step.fails(new FileNotFoundException("y")))
            .leadsTo(
                "FileNotFoundException: y",
                "1 IOException, wait 100ms backoff, 2 FileNotFoundException, not retryable"),
        Scenario.of("an Error passes through")
            .work(Step.fails(new StackOverflowError("x")))
            .leadsTo("StackOverflowError: x", "1 StackOverflowError, not retryable"),
        Scenario.of("a Throwable that is no Exception passes through")
            .work(Step.fails(new Throwable("x")))
            .leadsTo("Throwable: x", "1 Throwable, not retryable"),
        Scenario.of("an unchecked exception is retried like a checked one")
            .work(Step.fails(new IllegalStateException("x")), gives("a"))
            .leadsTo("= a", "1 IllegalStateException, wait 100ms backoff, 2 ok, accepted"),
        Scenario.of("work that was interrupted is not retried")
            .work(Step.fails(new InterruptedException("x")))
            .leadsTo("InterruptedException: x", "1 InterruptedException, interrupted"),
        Scenario.of("work that was cancelled is not retried")
            .work(Step.fails(new CancellationException("x")))
            .leadsTo("CancellationException: x", "1 CancellationException, cancelled"),
        Scenario.of("a timeout of the work itself is a failure like any other, by its own kind")
            .policy("maxAttempts=1")
            .work(Step.fails(new TimeoutException("x")))
            .leadsTo("TimeoutException: x", "1 TimeoutException, attempts exhausted"),
        // user code that throws
        Scenario.of("what the predicate of exceptions throws ends it")
            .given(each ->
                each.retryExceptions(e -> {
                  throw new IllegalArgumentException("predicate");
                }))
            .work(io("x"))
            .leadsTo(
                "IllegalArgumentException: predicate with IOException: x",
                "1 IllegalArgumentException, user code failed"),
        Scenario.of("what the predicate of results throws ends it")
            .given(each ->
                each.retryResults(result -> {
                  throw new IllegalArgumentException("predicate");
                }))
            .work(gives("a"))
            .leadsTo(
                "IllegalArgumentException: predicate",
                "1 IllegalArgumentException, user code failed"),
        Scenario.of("an Error of the predicate ends it too")
            .given(each ->
                each.retryExceptions(e -> {
                  throw new AssertionError("predicate");
                }))
            .work(io("x"))
            .leadsTo(
                "AssertionError: predicate with IOException: x",
                "1 AssertionError, user code failed"),
        Scenario.of("a predicate that throws what it was asked about")
            .given(each ->
                each.retryExceptions(e -> {
                  throw (RuntimeException) e;
                }))
            .work(Step.fails(new IllegalStateException("x")))
            .leadsTo("IllegalStateException: x", "1 IllegalStateException, user code failed"),
        Scenario.of("what an own backoff throws ends it")
            .given(each ->
                each.policy(
                    RetryPolicy.builder()
                        .backoff((retry, previous, random) -> {
                          throw new IllegalArgumentException("backoff");
                        })
                        .build()))
            .work(io("x"))
            .leadsTo(
                "IllegalArgumentException: backoff with IOException: x",
                "1 IOException, user code failed"),
        // time
        Scenario.of("no wait is begun that cannot end in an attempt")
            .policy("totalTimeout=1s; maxAttempts=9")
            .work(io("x"), io("y"), io("z"), io("last"))
            .leadsTo(
                "IOException: last",
                "1 IOException, wait 100ms backoff, 2 IOException, wait 200ms backoff,"
                    + " 3 IOException, wait 400ms backoff, 4 IOException, deadline"),
        Scenario.of("the time of the attempts counts")
            .policy("totalTimeout=5s")
            .work(io("x").after(Duration.ofMillis(4950)))
            .leadsTo("IOException: x", "1 IOException, deadline"),
        Scenario.of("a result just before the deadline is accepted")
            .policy("totalTimeout=5s")
            .work(io("x"), gives("a").after(Duration.ofMillis(4899)))
            .leadsTo("= a", "1 IOException, wait 100ms backoff, 2 ok, accepted"),
        // budget
        Scenario.of("an empty budget gives the caller the real failure at once")
            .tokens(1)
            .work(io("x"), io("y"))
            .leadsTo(
                "IOException: y",
                "1 IOException, wait 100ms backoff, 2 IOException, retry budget exhausted"),
        Scenario.of("an empty budget gives the caller the real result at once")
            .tokens(0)
            .given(each -> each.retryResults("busy"::equals))
            .work(gives("busy"))
            .leadsTo("= busy", "1 OTHER, retry budget exhausted"),
        // guards
        Scenario.of("a refusal that is known before the wait leaves the real failure")
            .guard(new CountingGuard().refusingQuestion(2))
            .work(io("x"), io("y"))
            .leadsTo(
                "IOException: y",
                "1 IOException, wait 100ms backoff, 2 IOException, refused by a guard"),
        Scenario.of("a refusal that is known before the wait leaves the real result")
            .guard(new CountingGuard().refusingQuestion(1))
            .given(each -> each.retryResults("busy"::equals))
            .work(gives("busy"))
            .leadsTo("= busy", "1 OTHER, refused by a guard"),
        Scenario.of("a refusal of the first attempt")
            .guard(new CountingGuard().refusingAttempt(1))
            .work()
            .leadsTo(
                "AttemptRefusedException: attempt refused: guard refused no. 1",
                "refused by a guard"),
        Scenario.of("a refusal after the wait gives the token back")
            .guard(new CountingGuard().refusingAttempt(2))
            .work(io("x"))
            .leadsTo(
                "AttemptRefusedException: attempt refused: guard refused no. 2",
                "1 IOException, wait 100ms backoff, refused by a guard"),
        Scenario.of("a refusal after the wait for a better result")
            .guard(new CountingGuard().refusingAttempt(2))
            .given(each -> each.retryResults("busy"::equals))
            .work(gives("busy"))
            .leadsTo(
                "AttemptRefusedException: attempt refused: guard refused no. 2",
                "1 OTHER, wait 100ms backoff, refused by a guard"));
  }

  /** Rows where work on the calling thread cannot be stopped. */
  private static List<Scenario> callOnly() {
    return List.of(
        Scenario.of("a result after the deadline is still the caller's")
            .policy("totalTimeout=5s")
            .work(gives("a").after(seconds(9)))
            .leadsTo("= a", "1 ok, accepted"),
        Scenario.of("a failure after the deadline is the caller's")
            .policy("totalTimeout=5s")
            .work(io("x").after(seconds(9)))
            .leadsTo("IOException: x", "1 IOException, deadline"),
        Scenario.of("an attempt timeout does not stop the thread")
            .policy("attemptTimeout=1s")
            .work(gives("a").after(seconds(9)))
            .leadsTo("= a", "1 ok, accepted"));
  }

  /** Rows where the timer ends attempts. */
  private static List<Scenario> asyncOnly() {
    return List.of(
        Scenario.of("the deadline ends an attempt")
            .policy("totalTimeout=5s")
            .work(gives("a").after(seconds(9)))
            .leadsTo("TimeoutException: deadline exceeded", "1 TimeoutException, deadline"),
        Scenario.of("the deadline ends a later attempt")
            .policy("totalTimeout=5s")
            .work(io("x").after(seconds(2)), gives("a").after(seconds(9)))
            .leadsTo(
                "TimeoutException: deadline exceeded",
                "1 IOException, wait 100ms backoff, 2 TimeoutException, deadline"),
        Scenario.of("an attempt that takes too long is retried")
            .policy("attemptTimeout=1s")
            .work(gives("late").after(seconds(9)), gives("a"))
            .leadsTo("= a", "1 TimeoutException, wait 100ms backoff, 2 ok, accepted"),
        Scenario.of("each attempt has its own timeout, the last holds for all that follow")
            .policy("attemptTimeout=1s,3s; maxAttempts=9; totalTimeout=60s")
            .work(
                gives("late").after(Duration.ofMillis(1001)),
                gives("late").after(Duration.ofMillis(3001)),
                gives("late").after(Duration.ofMillis(3001)),
                gives("a").after(Duration.ofMillis(2999)))
            .leadsTo(
                "= a",
                "1 TimeoutException, wait 100ms backoff, 2 TimeoutException, wait 200ms backoff,"
                    + " 3 TimeoutException, wait 400ms backoff, 4 ok, accepted"),
        Scenario.of("an attempt that took too long is the failure when attempts are exhausted")
            .policy("attemptTimeout=1s; maxAttempts=1")
            .work(gives("late").after(seconds(9)))
            .leadsTo(
                "TimeoutException: attempt timed out", "1 TimeoutException, attempts exhausted"),
        Scenario.of("an attempt timeout is judged like any exception")
            .policy("attemptTimeout=1s")
            .given(each -> each.retryExceptions(e -> !(e instanceof TimeoutException)))
            .work(gives("late").after(seconds(9)))
            .leadsTo("TimeoutException: attempt timed out", "1 TimeoutException, not retryable"),
        Scenario.of("an attempt gets no more than what remains")
            .policy("attemptTimeout=3s; totalTimeout=4s; maxAttempts=9")
            .work(gives("late").after(seconds(9)), gives("late").after(seconds(9)))
            .leadsTo(
                "TimeoutException: deadline exceeded",
                "1 TimeoutException, wait 100ms backoff, 2 TimeoutException, deadline"),
        Scenario.of("a wrapped failure is unwrapped")
            .policy("maxAttempts=1")
            .work(Step.fails(new CompletionException(new IOException("x"))))
            .leadsTo("IOException: x", "1 IOException, attempts exhausted"),
        Scenario.of("a wrapper without a cause stays")
            .policy("maxAttempts=1")
            .work(Step.fails(new CompletionException("x", null)))
            .leadsTo("CompletionException: x", "1 CompletionException, attempts exhausted"));
  }

  static Stream<Arguments> rows() {
    List<Arguments> rows = new ArrayList<>();
    both().forEach(each -> rows.add(Arguments.of(Entry.CALL, each)));
    // A second list: guards keep count.
    both().forEach(each -> rows.add(Arguments.of(Entry.CALL_ASYNC, each)));
    callOnly().forEach(each -> rows.add(Arguments.of(Entry.CALL, each)));
    asyncOnly().forEach(each -> rows.add(Arguments.of(Entry.CALL_ASYNC, each)));
    return rows.stream();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("rows")
  void passes(Entry entry, Scenario scenario) {
    FakeTime time = new FakeTime();
    EventLog log = new EventLog();
    CountingBudget budget = new CountingBudget(scenario.setup().tokens());
    Script script = new Script(time, scenario.steps());
    Retrier.Builder builder =
        Retrier.builder()
            .policy(policy(scenario.setup().policy()))
            .environment(time.environment())
            .budget(budget)
            .guard(scenario.setup().guard())
            .listener(log);
    if (entry == Entry.CALL) {
      builder.listener(time.skipWaits());
    }
    Retrier retrier = scenario.setup().more().apply(builder).build();

    assertEquals(scenario.result(), outcome(entry, retrier, script, time));
    assertEquals(scenario.trace(), log.trace());
    assertTrue(script.played(), "the work was not called as often as expected");
    log.verify();
    scenario.setup().guard().verify();
    budget.verify(Math.max(0, log.attemptsStarted() - 1));
    assertEquals(
        log.report().reason() == StopReason.ACCEPTED,
        budget.outcome() == RetryBudget.Outcome.SUCCEEDED);
    assertEquals(0, time.pending(), "timers left behind");
    Duration after = Duration.ofNanos(time.nanos()).minus(log.report().elapsed());
    assertTrue(after.compareTo(Duration.ofMillis(10)) < 0, "time after the end: " + after);
  }

  private static RetryPolicy policy(String text) {
    boolean backoff = text.contains("backoff=");
    return RetryPolicy.valueOf(backoff ? text : POLICY + ";" + text);
  }

  private static String outcome(Entry entry, Retrier retrier, Script script, FakeTime time) {
    try {
      return "= " + entry.run(retrier, script, time);
    } catch (Throwable thrown) {
      Throwable real =
          thrown instanceof ExecutionException && thrown.getCause() != null
              ? thrown.getCause()
              : thrown;
      assertTrue(RetryReport.of(real).isPresent(), "a failure without a report: " + real);
      StringBuilder text = new StringBuilder(text(real));
      for (Throwable suppressed : real.getSuppressed()) {
        if (!(suppressed instanceof RetryTrace)) {
          text.append(" with ").append(text(suppressed));
        }
      }
      return text.toString();
    }
  }

  private static String text(Throwable thrown) {
    return thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
  }
}
