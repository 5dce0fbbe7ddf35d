package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.testsupport.CapturedLog;
import dev.steadfast.retry.testsupport.CapturedLog.Line;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.event.Level;

/** Who reads the log in an outage, or after a likely mistake, finds few lines that tell much. */
class GivenUpLogTest {
  private static final ThreadLocal<String> CALLER = ThreadLocal.withInitial(() -> "nobody");

  private long nowNanos = -1;
  private final RetryEnvironment environment =
      new RetryEnvironment(
          () -> nowNanos,
          RetryEnvironment.system().clock(),
          () -> 0,
          RetryEnvironment.system().scheduler());
  private final HttpRetry retry =
      HttpRetry.builder()
          .environment(environment)
          .budget(RetryBudget.unlimited())
          .policy(RetryPolicy.valueOf("maxAttempts=2; backoff=none"))
          .build();

  private HttpOperation get(String host) {
    return retry.operation(TestRequest.of("GET", "https://" + host + "/x"), RetryOptions.none());
  }

  private List<String> warnings(Runnable code) {
    return CapturedLog.of(code).stream()
        .filter(line -> line.level() == Level.WARN)
        .map(Line::text)
        .toList();
  }

  private void fails(String host) {
    Wire.run(get(host), TestResponse.of(503));
  }

  @Test
  void anOutageIsOneWarningPerOriginAndMinuteWithACount() {
    List<String> first =
        warnings(() -> {
          for (int i = 0; i < 1000; i++) {
            fails("a.example");
          }
          fails("b.example");
        });
    assertEquals(2, first.size(), () -> first.subList(0, 3).toString());
    assertEquals(
        "GET https://a.example:443/x: gave up: 2 attempts in 0s, attempts exhausted: maxAttempts=2"
            + " [#1 503 in 0s, #2 503 in 0s]",
        first.get(0));
    assertTrue(first.get(1).startsWith("GET https://b.example:443/x"), first::toString);

    nowNanos += TimeUnit.SECONDS.toNanos(60) - 1;
    assertEquals(List.of(), warnings(() -> fails("a.example")));
    nowNanos += 1;
    List<String> later = warnings(() -> fails("a.example"));
    assertEquals(1, later.size());
    assertTrue(
        later.get(0).endsWith("; since the last such line 1000 more operations of this origin did"),
        later::toString);
  }

  @Test
  void whatGetsNoWarningIsStillThereForDebugging() {
    fails("a.example");
    List<Line> lines = CapturedLog.of(() -> fails("a.example"));
    assertEquals(List.of(Level.DEBUG, Level.DEBUG), lines.stream().map(Line::level).toList());
    assertTrue(lines.get(1).text().contains("gave up: 2 attempts"), lines::toString);
  }

  @ParameterizedTest
  @CsvSource({
    "x-stainless-retry-count, 0, 1",
    "amz-sdk-request, attempt=1; max=3, attempt=2; max=3",
    "amz-sdk-request, ttl=20260101T000000Z; attempt=1; max=3, max=3;attempt=2"
  })
  void aRequestThatSaysItIsARetryIsWarnedOfOnce(String header, String first, String retry) {
    assertEquals(List.of(), warnings(() -> sends(header, first)));
    List<String> warnings =
        warnings(() -> {
          sends(header, retry);
          sends(header, retry);
        });
    assertEquals(1, warnings.size(), warnings::toString);
    assertTrue(warnings.get(0).contains("an SDK above this client"), warnings::toString);
    assertTrue(warnings.get(0).contains(header), warnings::toString);
  }

  private void sends(String header, String value) {
    TestRequest request = TestRequest.of("GET", "https://a.example/x").header(header, value);
    Wire.run(retry.operation(request, RetryOptions.none()), TestResponse.of(200));
  }

  @Test
  void aBodyThatCanBeReadOnceIsWarnedOfOnce() {
    List<String> warnings =
        warnings(() -> {
          new Spent(true).run(retry.operation(TestRequest.of("PUT"), RetryOptions.none()));
          new Spent(true).run(retry.operation(TestRequest.of("PUT"), RetryOptions.none()));
        });
    assertEquals(2, warnings.size(), warnings::toString);
    assertTrue(warnings.get(0).contains("can be read only once"), warnings::toString);
    assertTrue(warnings.get(1).contains("failed, and may have taken effect"), warnings::toString);
  }

  /** A timer of the user's may be early, and may then take no more work: on its own thread. */
  @Test
  void theWarningHasTheContextOfTheCaller() throws Exception {
    List<Runnable> timers = new ArrayList<>();
    RetryScheduler early = new EarlyThenFull(timers);
    CALLER.set("caller");
    RetryPlan plan =
        RetryPlan.of(
                RetryPolicy.valueOf("maxAttempts=5; backoff=fixed(1s); totalTimeout=none"),
                RetryBudget.unlimited(),
                environment.withScheduler(early))
            .withContext(() -> {
              String caller = CALLER.get();
              return () -> {
                String before = CALLER.get();
                CALLER.set(caller);
                return () -> CALLER.set(before);
              };
            });
    OperationInfo info = OperationInfo.of("origin", () -> "work of " + CALLER.get());
    RetryLoop.of(plan, info, new Spent(false)).start(Long.MAX_VALUE, (response, failure) -> {});
    CALLER.set("timer");

    nowNanos += TimeUnit.SECONDS.toNanos(1);
    timers.remove(0).run(); // the second attempt
    List<String> warnings = warnings(() -> timers.remove(0).run()); // early, and the last one

    CALLER.remove();
    assertEquals(1, warnings.size(), warnings::toString);
    assertTrue(warnings.get(0).startsWith("work of caller: gave up"), warnings::toString);
  }

  /** Takes two timers. */
  private static final class EarlyThenFull implements RetryScheduler {
    private final List<Runnable> timers;
    private int taken;

    EarlyThenFull(List<Runnable> timers) {
      this.timers = timers;
    }

    @Override
    public boolean isVirtual() {
      return true;
    }

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      if (taken == 2) {
        throw new RejectedExecutionException("full");
      }
      taken++;
      timers.add(task);
      return () -> {};
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) {
      throw new AssertionError("nobody waits");
    }
  }

  /** Each attempt fails; the body of a request may be one that can be read once. */
  private record Spent(boolean spent) implements RetryTransport<String> {
    void run(HttpOperation operation) {
      try {
        RetryLoop.of(operation.plan(), operation.info(), this).run(Long.MAX_VALUE);
      } catch (Throwable expected) {
        assertEquals("broken", expected.getMessage());
      }
    }

    @Override
    public void start(Attempt<String> attempt) throws IOException {
      attempt.begin("request");
      throw new IOException("broken");
    }

    @Override
    public Outcome outcome(String response) {
      throw new AssertionError("there is none");
    }

    @Override
    public Outcome outcome(Throwable failure) {
      return new Outcome(Verdict.retryable(FailureKind.CONNECTION_LOST), evidence());
    }

    @Override
    public Evidence evidence() {
      return Evidence.of(Disposition.UNKNOWN, Evidence.Safety.IDEMPOTENT, -1, 1)
          .withBodySpent(spent);
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return new IOException(end.toString(), cause);
    }
  }
}
