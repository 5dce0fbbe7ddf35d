package dev.steadfast.retry.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Layers, herd and delays against closed forms and published figures. */
@Tag("laboratory")
final class ModelsTest {

  private static Chain.Load layered(String arm, double p, int calls) {
    Layers.Arm found =
        Layers.layered(Layers.policy(3), 4).stream()
            .filter(each -> each.name().equals(arm))
            .findFirst()
            .orElseThrow();
    return Layers.measure(found, p, Draws.of(3), calls);
  }

  @ParameterizedTest
  @CsvSource({
    "every-layer, 0.9, 9.998",
    "every-layer, 0.99, 55.70",
    "one-owner, 0.5, 1.75",
    "one-owner, 0.9, 2.71"
  })
  void layersMultiply(String arm, double p, double load) {
    assertEquals(load, layered(arm, p, 20_000).load(), load * 0.03);
  }

  @Test
  void theWorstCaseIsExact() {
    assertEquals(81, layered("every-layer", 1, 1000).load());
    assertEquals(3, layered("one-owner", 1, 1000).load());
    assertEquals(1, layered("budget", 1, 20_000).load());
  }

  @ParameterizedTest
  @CsvSource({"0.2", "0.5", "0.8", "0.95"})
  void aBudgetInEachLayerBoundsTheLoad(double p) {
    assertTrue(layered("budget", p, 40_000).load() <= 1.464 * 1.02);
  }

  @ParameterizedTest
  @CsvSource({
    "no-retry, 0.2, 1, 0.8",
    "unlimited, 0.05, 1.053, 1",
    "unlimited, 0.2, 1.248, 0.998",
    "unlimited, 1, 4, 0",
    "success, 0.05, 1.053, 1",
    "success, 0.2, 1.087, 0.871",
    "success, 0.8, 1.020, 0.204",
    "success, 1, 1, 0",
    "request, 0.2, 1.100, 0.880",
    "request, 1, 1.100, 0",
    "grpc, 0.05, 1.052, 0.999",
    "grpc, 0.08, 1.059, 0.974",
    "grpc, 0.2, 1.000, 0.799",
    "grpc, 1, 1, 0",
    "aws, 0.05, 1.053, 1",
    "aws, 0.2, 1.248, 0.998",
    "aws, 0.8, 1.050, 0.210",
    "aws, 1, 1, 0",
    "retry-breaker, 0.05, 1.051, 0.998",
    "retry-breaker, 0.2, 1.001, 0.800",
    "retry-breaker, 1, 1, 0"
  })
  void eachBudgetBoundsTheLoadAsPublished(String arm, double p, double load, double success) {
    Layers.Arm found =
        Layers.budgets(Layers.policy(4)).stream()
            .filter(each -> each.name().equals(arm))
            .findFirst()
            .orElseThrow();
    Chain.Load measured = Layers.measure(found, p, Draws.of(5), 200_000);
    assertEquals(load, measured.load(), 0.012);
    assertEquals(success, measured.success(), 0.01);
  }

  @Test
  void manyClientsThatLiveBrieflySpendTheirStart() {
    Chain.Setup setup = new Chain.Setup(Layers.policy(4), 1, Budget.SUCCESS, false);
    assertEquals(1.523, new Chain(setup, 1000, 0.5, Draws.of(1)).calls(20_000).load(), 0.02);
  }

  @ParameterizedTest
  @CsvSource({"0.2, 1.248", "0.8, 2.952", "1, 4"})
  void theClosedFormOfOneLayer(double p, double load) {
    assertEquals(load, ClosedForms.load(p, 4), 0.0005);
  }

  private static Herd.Outcome herd(HerdSpec spec, String name) {
    HerdRule rule =
        HerdRule.all(spec).stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow();
    Draws[] draws = Draws.each(1, 5);
    return new Herd.Outcome(
        rule, Runs.each(draws, Progress.silent(), each -> HerdRun.run(spec, rule, each)));
  }

  // A round more or less is a matter of chance, and takes 10 s and a little.
  @ParameterizedTest
  @CsvSource({
    "max, 6.7, 100, 102",
    "tenth, 4.5, 11.3, 64",
    "jitter, 3.7, 11.4, 53",
    "spread, 2.1, 1.9, 38",
    "oracle, 2.0, 1.8, 38"
  })
  void theHerdIsSpreadAsPublished(String rule, double calls, double peak, double done) {
    Herd.Outcome outcome = herd(new HerdSpec(1000, 100, 10, 10, 0, 0), rule);
    assertEquals(calls, outcome.callsPerClient(), 0.2);
    assertEquals(peak, outcome.peakPerSecond() / 100, peak * 0.1);
    assertEquals(done, outcome.doneSeconds(), 11);
    assertEquals(0, outcome.failed());
  }

  @Test
  void inLockstepEachRoundServesTheQueueAndOneMore() {
    Herd.Outcome outcome = herd(new HerdSpec(1000, 100, 10, 10, 0, 0), "exact");
    int rounds = 91; // 1000 / 11
    assertEquals(1 + (rounds + 1) / 2.0, outcome.callsPerClient(), 0.1);
    assertEquals(rounds * 10, outcome.doneSeconds(), 1);
  }

  @Test
  void aNetworkTakesTheLockstepApartALittle() {
    Herd.Outcome outcome = herd(new HerdSpec(1000, 100, 10, 10, 7_000_000, 0), "exact");
    assertEquals(39.9, outcome.callsPerClient(), 39.9 * 0.1);
    assertEquals(781, outcome.doneSeconds(), 781 * 0.1);
  }

  @Test
  void noClientComesBeforeItsServerDelay() {
    HerdSpec spec = new HerdSpec(200, 100, 10, 10, 0, 0);
    for (HerdRule rule : HerdRule.all(spec)) {
      List<HerdRun.Bin> arrivals = HerdRun.run(spec, rule, Draws.of(1)).arrivals();
      assertEquals(new HerdRun.Bin(0, 200), arrivals.get(0));
      assertTrue(arrivals.get(1).tenth() >= 100, () -> rule.name() + arrivals.get(1));
    }
  }

  @Test
  void theGateSavesCallsThatWouldBeTurnedAway() {
    HerdSpec spec = new HerdSpec(500, 100, 10, 10, 0, 10 * Durations.SECOND);
    assertTrue(herd(spec, "spread").callsPerClient() > 1.9);
    assertTrue(herd(spec, "gate").callsPerClient() < 1.1);
  }

  private static Waits.Row wait(String backoff, int retry) {
    RetryPolicy policy =
        RetryPolicy.valueOf("maxAttempts=20; totalTimeout=none; backoff=" + backoff);
    Waits waits = Waits.draw(policy, new Waits.Sample(40_000, 12, 0), Draws.of(1));
    return waits.rows().get(retry - 1);
  }

  @ParameterizedTest
  @CsvSource({
    "full(100ms..10s), 1, 50",
    "full(100ms..10s), 3, 200",
    "full(100ms..10s), 5, 800",
    "full(100ms..10s), 8, 5000",
    "full(100ms..10s), 12, 5000",
    "equal(100ms..10s), 1, 75",
    "equal(100ms..10s), 3, 300",
    "equal(100ms..10s), 5, 1200",
    "equal(100ms..10s), 12, 7500",
    "decorrelated(100ms..10s), 1, 200",
    "decorrelated(100ms..10s), 3, 575",
    "decorrelated(100ms..10s), 5, 1407"
  })
  void delaysHaveTheMeanOfTheClosedForm(String backoff, int retry, double millis) {
    assertEquals(millis, wait(backoff, retry).spread().mean() / 1e6, millis * 0.02);
  }

  @Test
  void delaysOfDecorrelatedJitterHaveTheirMedianAndTail() {
    Waits.Spread third = wait("decorrelated(100ms..10s)", 3).spread();
    assertEquals(456, third.median() / 1e6, 456 * 0.03);
    assertEquals(1420, third.p95() / 1e6, 1420 * 0.03);
  }

  @Test
  void delaysEndWithThePolicysDeadline() {
    RetryPolicy policy =
        RetryPolicy.valueOf("maxAttempts=9; backoff=fixed(1s); totalTimeout=3500ms");
    Waits waits = Waits.draw(policy, new Waits.Sample(100, 12, 0), Draws.of(1));
    assertEquals(3, waits.rows().size());
    assertEquals("deadline", waits.ends().get(0).reason());
    assertEquals(3e9, waits.ends().get(0).at().median());
  }

  @Test
  void aCallIsShownAttemptByAttempt() {
    RetryPolicy policy =
        RetryPolicy.valueOf(
            "maxAttempts=9; backoff=exponential(100ms..1s); attemptTimeout=50ms;"
                + " totalTimeout=600ms");
    Waits.Sample sample = new Waits.Sample(100, 12, Durations.SECOND);
    List<Waits.Attempt> attempts = Waits.draw(policy, sample, Draws.of(1)).attempts();
    long ms = 1_000_000;
    assertEquals(
        List.of(
            new Waits.Attempt(1, 1, 0, 50 * ms, 150 * ms),
            new Waits.Attempt(1, 2, 150 * ms, 200 * ms, 400 * ms),
            new Waits.Attempt(1, 3, 400 * ms, 450 * ms, 450 * ms)),
        attempts.subList(0, 3));
    assertEquals(8 * 3, attempts.size());
  }
}
