package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.testsupport.CapturedLog;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** Whoever builds a configuration for each request is told that nothing bounds the retries. */
class DefaultBudgetCounterTest {
  private static final long SECOND = 1_000_000_000;

  private final AtomicLong nanos = new AtomicLong(-5 * SECOND);
  private final RetryEnvironment environment =
      new RetryEnvironment(
          nanos::get,
          RetryEnvironment.system().clock(),
          RetryEnvironment.system().random(),
          RetryEnvironment.system().scheduler());

  private HttpRetry.Builder http() {
    return HttpRetry.builder().environment(environment);
  }

  private List<CapturedLog.Line> builds(int times, Runnable build) {
    return CapturedLog.of(() -> {
      for (int i = 0; i < times; i++) {
        build.run();
        nanos.addAndGet(SECOND / 10);
      }
    });
  }

  @Test
  void aConfigurationForEachRequestIsNamedInAWarning_onceAMinute() {
    List<CapturedLog.Line> lines = builds(300, () -> http().build());
    assertEquals(1, lines.size(), lines::toString);
    assertEquals(Level.WARN, lines.get(0).level());
    String text = lines.get(0).text();
    assertTrue(
        text.startsWith(
            "More than 60 configurations were built within a minute, each with a budget of its"
                + " own, the latest by HttpRetry.builder()."),
        text);
    assertEquals(1, builds(600, () -> http().build()).size(), "and again a minute later");
  }

  @Test
  void soIsARetrierForEachCall() {
    List<CapturedLog.Line> lines =
        builds(100, () -> Retrier.builder().environment(environment).build());
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.get(0).text().contains("the latest by Retrier.builder()"), lines::toString);
  }

  @Test
  void whoSharesABudgetIsNotWarned() {
    RetryBudget budget = RetryBudget.perOrigin(0.1);
    HttpRetry shared = http().build();
    HttpRetry.Builder builder = http();
    assertEquals(List.of(), builds(500, () -> http().budget(budget).build()));
    assertEquals(List.of(), builds(500, () -> shared.toBuilder().build()));
    assertEquals(List.of(), builds(500, builder::build), "they have the budget of the builder");
    assertEquals(builder.build().plan().budget(), builder.build().plan().budget());
  }

  @Test
  void someConfigurationsAtTheStartOfAnApplicationAreNoReason() {
    assertEquals(List.of(), builds(60, () -> http().build()));
    nanos.addAndGet(60 * SECOND);
    assertEquals(List.of(), builds(60, () -> http().build()));
  }
}
