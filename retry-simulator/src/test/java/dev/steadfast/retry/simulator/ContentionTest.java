package dev.steadfast.retry.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The anchors are those of the published model; each has its tolerance. */
final class ContentionTest {
  private static final int RUNS = 100;
  private static final Map<String, Contention.Medians> MEASURED = new HashMap<>();

  private static Contention.Strategy strategy(String name) {
    return Contention.STRATEGIES.stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static synchronized Contention.Medians medians(String name, int clients) {
    return MEASURED.computeIfAbsent(name + clients, key -> medians(strategy(name), clients, RUNS));
  }

  private static Contention.Medians medians(Contention.Strategy strategy, int clients, int runs) {
    Race.Course course = new Race.Course(strategy.policy(), clients, 2_000_000);
    Draws[] draws = Draws.each(1, runs);
    return Contention.medians(strategy, clients, Runs.each(draws, Progress.silent(), course::run));
  }

  @ParameterizedTest
  @CsvSource({
    "none, 10, 51, 378",
    "none, 50, 690, 1140",
    "none, 100, 2425, 2026",
    "none, 200, 8821, 3699",
    "exponential, 10, 52, 0",
    "exponential, 50, 622, 36581",
    "exponential, 100, 1858, 64122",
    "exponential, 200, 5593, 104922",
    "equal, 10, 42, 746",
    "equal, 50, 347, 4185",
    "equal, 100, 810, 6390",
    "equal, 200, 1872, 9605",
    "full, 10, 39, 443",
    "full, 50, 333, 2941",
    "full, 100, 797, 4818",
    "full, 200, 1891, 7594",
    "decorrelated, 10, 38, 0",
    "decorrelated, 50, 375, 2172",
    "decorrelated, 100, 996, 4594",
    "decorrelated, 200, 2616, 7981"
  })
  void callsAndTimeAreThoseOfTheModel(String name, int clients, double calls, double millis) {
    Contention.Medians found = medians(name, clients);
    boolean wide = name.equals("exponential") || name.equals("decorrelated");
    // A median of so few calls is a whole number: one more or less is within any tolerance.
    double callTolerance = Math.max(1, calls * (wide ? 0.03 : 0.02));
    assertEquals(calls, (double) found.calls(), callTolerance, found::toString);
    if (millis > 0) {
      double share = name.equals("none") ? 0.02 : name.equals("exponential") ? 0.04 : 0.06;
      assertEquals(millis, (double) found.millis(), millis * share, found::toString);
    }
  }

  @ParameterizedTest
  @CsvSource({"exponential, 2926", "decorrelated, 413"})
  void skewedTimesOfTenClientsNeedMoreRuns(String name, double millis) {
    Contention.Medians found = medians(strategy(name), 10, 1000);
    assertEquals(millis, (double) found.millis(), millis * 0.25, found::toString);
  }

  @ParameterizedTest
  @CsvSource({
    "none, 10, 55, 400", "exponential, 10, 55, 4950",
    "none, 100, 5050, 4000", "exponential, 100, 5050, 188550"
  })
  void lockstepIsExact(String name, int clients, long calls, long millis) {
    Race.Course course = new Race.Course(strategy(name).policy(), clients, 0);
    Race.Result outcome = course.run(Draws.of(7));
    assertEquals(calls, outcome.calls());
    assertEquals(millis * 1_000_000, outcome.endNanos());
  }

  @ParameterizedTest
  @CsvSource({"none, 1.84", "exponential, 1.59", "decorrelated, 1.40", "full, 1.25", "equal, 1.21"})
  void callsGrowByTheirPower(String name, double exponent) {
    double growth = (double) medians(name, 200).calls() / medians(name, 50).calls();
    assertEquals(exponent, StrictMath.log(growth) / StrictMath.log(4), 0.02);
  }

  @ParameterizedTest
  @CsvSource({"full, 874", "equal, 888"})
  void aFirstCeilingOfHalfTheLengthIsFound(String name, double calls) {
    Duration base = Duration.ofMillis(5);
    Duration cap = Duration.ofSeconds(2);
    Backoff backoff =
        name.equals("full") ? Backoff.fullJitter(base, cap) : Backoff.equalJitter(base, cap);
    Contention.Medians found = medians(Contention.Strategy.of(name, backoff), 100, RUNS);
    assertEquals(calls, (double) found.calls(), calls * 0.02);
    assertTrue(found.calls() > medians(name, 100).calls() * 1.05, found::toString);
  }

  @Test
  void fullJitterMakesFewerCallsThanDecorrelated_andTakesLongerUpToAHundredClients() {
    for (int clients : new int[] {50, 100, 200}) {
      assertTrue(medians("full", clients).calls() < medians("decorrelated", clients).calls());
    }
    assertTrue(medians("full", 50).millis() > medians("decorrelated", 50).millis());
    assertTrue(medians("full", 100).millis() > medians("decorrelated", 100).millis());
  }

  @Test
  void theLibrarysOwnDecorrelatedJitterMakesTheSameCallsAndEndsSooner() {
    double clamped = medians("decorrelated", 200).calls();
    double ranged = medians("decorrelated-ranged", 200).calls();
    assertEquals(clamped, ranged, clamped * 0.03);
    assertTrue(
        medians("decorrelated-ranged", 200).millis() < medians("decorrelated", 200).millis());
  }

  @Test
  void aPolicyThatGivesUpIsCounted() {
    RetryPolicy once = RetryPolicy.noRetry();
    Race.Result outcome = new Race.Course(once, 10, 0).run(Draws.of(1));
    assertEquals(10, outcome.calls());
    assertEquals(9, outcome.gaveUp());
  }
}
