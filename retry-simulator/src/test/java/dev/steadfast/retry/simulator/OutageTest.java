package dev.steadfast.retry.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("laboratory")
final class OutageTest {
  private static final int SEEDS = 3;
  private static final long SECOND = Durations.SECOND;

  private static OutageSpec spec(String kind, double rho, int horizonSeconds) {
    return new OutageSpec(
        server(1000, 10),
        new OutageSpec.Load(1000 * rho, 50, SECOND, 0),
        trigger(OutageSpec.Kind.parse(kind)),
        horizonSeconds * SECOND);
  }

  private static OutageSpec.Server server(double perSecond, int workers) {
    return new OutageSpec.Server(
        perSecond, workers, ServiceTime.EXPONENTIAL, OutageSpec.Refusal.NONE);
  }

  private static OutageSpec.Trigger trigger(OutageSpec.Kind kind) {
    double share = kind == OutageSpec.Kind.SLOW ? 0.4 : 1;
    return new OutageSpec.Trigger(kind, 30 * SECOND, 10 * SECOND, share);
  }

  private static OutageSpec with(OutageSpec spec, OutageSpec.Refusal refusal, double unkeyedPosts) {
    OutageSpec.Server server = spec.server();
    OutageSpec.Load load = spec.load();
    return new OutageSpec(
        new OutageSpec.Server(server.perSecond(), server.workers(), server.work(), refusal),
        new OutageSpec.Load(load.perSecond(), load.clients(), load.timeoutNanos(), unkeyedPosts),
        spec.trigger(),
        spec.horizonNanos());
  }

  private static Protection named(String name) {
    Protection protection =
        switch (name) {
          case "none" -> Outage.NONE;
          case "jitter" -> Outage.JITTER;
          case "budget" -> Outage.BUDGET;
          case "limit" -> Outage.LIMIT;
          case "throttle" -> Outage.THROTTLE;
          case "limit+throttle" -> Outage.LIMIT_AND_THROTTLE;
          default -> Outage.BREAKER;
        };
    return Outage.timed(protection, SECOND);
  }

  private static Outage.Outcome outcome(OutageSpec spec, Protection protection) {
    Draws[] draws = Draws.each(1, SEEDS);
    List<OutageTrace> traces =
        Runs.each(draws, each -> OutageRun.run(spec, protection, each, Progress.silent()));
    return new Outage.Outcome(protection, traces);
  }

  private static void assertNever(Outage.Outcome outcome) {
    outcome.traces().forEach(trace -> assertEquals(-1, trace.recovery()));
  }

  /** Three seconds or 15 %: the larger of the two. */
  private static void assertRecovers(double expected, Outage.Outcome outcome) {
    assertEquals(expected, outcome.recovery(), Math.max(3, expected * 0.15));
  }

  @ParameterizedTest
  @CsvSource({
    "stall, none, 21, 21300",
    "stall, budget, 22, 22400",
    "stall, breaker, 6, 10300",
    "stall, limit, 2, 7800",
    "stall, limit+throttle, 2, 7800",
    "slow, none, 7, 0",
    "slow, budget, 9, 0",
    "slow, breaker, 7, 0",
    "fail-fast, none, 0, 0",
    "fail-fast, jitter, 0, 0",
    "fail-fast, budget, 0, 0",
    "fail-fast, breaker, 2, 0",
    "fail-fast, limit+throttle, 0, 0"
  })
  void recoversWhenTheModelSays(String kind, String policy, double recovery, double failed) {
    Outage.Outcome outcome = outcome(spec(kind, 0.7, 80), named(policy));
    assertRecovers(recovery, outcome);
    if (failed > 0) {
      assertEquals(failed, (double) outcome.failed(), failed * 0.1);
    }
  }

  @ParameterizedTest
  @CsvSource({"stall, 240", "slow, 120"})
  void retriesWithJitterAloneNeverRecover(String kind, int horizon) {
    Outage.Outcome outcome = outcome(spec(kind, 0.7, horizon), named("jitter"));
    assertNever(outcome);
    assertEquals(2800.0, (double) outcome.steady(), 2800 * 0.02);
  }

  @Test
  void loadOverTimeIsThatOfTheModel() {
    int[] bounds = {25, 30, 31, 32, 35, 40, 45, 50};
    double[] jitter = {681, 1369, 2453, 2862, 2787, 2757};
    OutageTrace trace = outcome(spec("stall", 0.7, 55), named("jitter")).traces().get(0);
    double[] found = {
      trace.attemptsBetween(bounds[0], bounds[1]),
      trace.attemptsBetween(bounds[2], bounds[3]),
      trace.attemptsBetween(bounds[3], bounds[4]),
      trace.attemptsBetween(bounds[4], bounds[5]),
      trace.attemptsBetween(bounds[5], bounds[6]),
      trace.attemptsBetween(bounds[6], bounds[7])
    };
    for (int i = 0; i < jitter.length; i++) {
      assertEquals(jitter[i], found[i], jitter[i] * 0.08, "interval " + i);
    }
  }

  @ParameterizedTest
  @CsvSource({"none, 1.0", "jitter, 4.0", "budget, 1.07", "breaker, 0.39"})
  void loadDuringAnOutageThatFailsAtOnce(String policy, double load) {
    Outage.Outcome outcome = outcome(spec("fail-fast", 0.7, 60), named(policy));
    assertEquals(load, outcome.loadDuring(), 0.1);
  }

  @Test
  void noBackoffEndsAStorm() {
    Backoff exponential = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(10));
    for (Backoff backoff : List.of(Backoff.none(), exponential)) {
      RetryPolicy policy = Outage.RETRIES.toBuilder().backoff(backoff).build();
      Protection protection = new Protection("own", policy, Budget.NONE, Protection.Shedding.NONE);
      assertNever(outcome(spec("stall", 0.7, 120), Outage.timed(protection, SECOND)));
    }
  }

  @Test
  void aBudgetFundedBySuccessBeatsOneFundedByRequests() {
    Protection request =
        new Protection(
            "request",
            named("budget").policy(),
            Budget.parse("request(0.1,0,7s)"),
            Protection.Shedding.NONE);
    OutageSpec spec = spec("stall", 0.8, 160);
    assertRecovers(37, outcome(spec, named("budget")));
    assertRecovers(68, outcome(spec, request));
    assertNever(outcome(spec("stall", 0.93, 200), request));
  }

  @ParameterizedTest
  @CsvSource({"1s, 7, 1", "2s, 6, 2", "5s, 5, 2", "10s, 15, 2", "20s, 14, 12"})
  void howLongABreakerIsOpenDecidesTheRecovery(String open, double stall, double failFast) {
    Protection own =
        new Protection(
            "own",
            named("breaker").policy(),
            Budget.NONE,
            Protection.Shedding.of(
                Protection.Breaker.parse("breaker(100,20,50," + open + ",5)"), Optional.empty()));
    assertRecovers(stall, outcome(spec("stall", 0.7, 80), own));
    assertRecovers(failFast, outcome(spec("fail-fast", 0.7, 80), own));
  }

  @Test
  void theGapBetweenTheBudgetsExplodesWithTheLoad() {
    Protection request =
        new Protection(
            "request",
            named("budget").policy(),
            Budget.parse("request(0.1,0,7s)"),
            Protection.Shedding.NONE);
    assertRecovers(89, outcome(spec("stall", 0.9, 160), named("budget")));
    assertNever(outcome(spec("stall", 0.9, 240), request));
  }

  /** The database of the paper on metastable failures: 300 queries per second, 100 ms each. */
  @ParameterizedTest
  @CsvSource({"1, 280, 130, 280", "2, 280, -1, 557", "2, 120, 36, 120", "2, 200, -1, 397"})
  void theDatabaseOfThePaperStaysDown(int attempts, double rate, double recovery, double steady) {
    OutageSpec spec =
        new OutageSpec(
            server(300, 30),
            new OutageSpec.Load(rate, 50, SECOND, 0),
            trigger(OutageSpec.Kind.STALL),
            (recovery > 100 ? 260 : 200) * SECOND);
    RetryPolicy policy = Outage.RETRIES.toBuilder().maxAttempts(attempts).build();
    Protection own = new Protection("own", policy, Budget.NONE, Protection.Shedding.NONE);
    Outage.Outcome outcome = outcome(spec, Outage.timed(own, SECOND));
    if (recovery < 0) {
      assertNever(outcome);
    } else {
      assertRecovers(recovery, outcome);
    }
    assertEquals(steady, (double) outcome.steady(), steady * 0.04);
  }

  @Test
  void aQueueShorterThanTheTimeoutEndsTheStormWhateverTheClientsDo() {
    OutageSpec open = spec("stall", 0.7, 70);
    OutageSpec bounded = with(open, new OutageSpec.Refusal(500, 0), 0);
    assertTrue(outcome(bounded, named("jitter")).recovery() < 10);
  }

  @ParameterizedTest
  @CsvSource({"none, 20", "budget, 21.7"})
  void theClosedFormTellsTheRecovery(String policy, double seconds) {
    Verdicts verdicts = new Verdicts(spec("stall", 0.7, 100), named(policy));
    assertEquals(seconds, verdicts.stallRecoverySeconds(), 0.1);
  }

  @Test
  void theDefaultsFloorIsPartOfTheLoad() {
    OutageSpec spec = spec("stall", 0.7, 100);
    Protection library = Outage.timed(Outage.DEFAULT, SECOND);
    Verdicts verdicts = new Verdicts(spec, library);
    assertEquals(1 + 50 / 700.0, verdicts.amplification(), 1e-9);
    assertRecovers(verdicts.stallRecoverySeconds(), outcome(spec, library));
  }

  @Test
  void aPostWithoutAKeyIsNotSentAgainWhenItsAnswerIsLost() {
    OutageSpec posts = with(spec("stall", 0.7, 70), OutageSpec.Refusal.NONE, 1);
    assertEquals(1, outcome(posts, named("jitter")).loadDuring(), 0.05);
    assertEquals(1, new Verdicts(posts, named("jitter")).amplification());
  }

  @Test
  void retryAfterInAnOutageThatFailsAtOnceIsWaitedFor() {
    OutageSpec plain = spec("fail-fast", 0.7, 70);
    OutageSpec longer = with(plain, new OutageSpec.Refusal(Long.MAX_VALUE, 20), 0);
    assertEquals(1, outcome(longer, named("jitter")).loadDuring(), 0.05);
    assertEquals(4, outcome(plain, named("jitter")).loadDuring(), 0.2);
  }

  @Test
  void aShareOfTheAttemptsFails() {
    OutageSpec all = spec("fail-fast", 0.7, 70);
    OutageSpec.Trigger third =
        new OutageSpec.Trigger(OutageSpec.Kind.FAIL_FAST, 30 * SECOND, 10 * SECOND, 0.3);
    OutageSpec some = new OutageSpec(all.server(), all.load(), third, all.horizonNanos());
    assertEquals(7000 * 0.3, (double) outcome(some, named("none")).failed(), 200);
    assertEquals(7000 * Math.pow(0.3, 4), (double) outcome(some, named("jitter")).failed(), 50);
  }

  @ParameterizedTest
  @CsvSource({"exponential, 1", "fixed, 1", "8ms..60ms, 1", "10ms..10ms, 1"})
  void latenciesHaveTheMeanThatTheCapacityNeeds(String text, double mean) {
    ServiceTime work = ServiceTime.parse(text);
    Draws draws = Draws.of(1);
    double sum = 0;
    for (int i = 0; i < 100_000; i++) {
      sum += work.shape().applyAsDouble(draws);
    }
    assertEquals(mean, sum / 100_000, 0.02);
  }

  @Test
  void theClosedFormTellsAStorm() {
    Verdicts storm = new Verdicts(spec("stall", 0.7, 100), named("jitter"));
    assertEquals(4, storm.amplification());
    assertEquals(Double.POSITIVE_INFINITY, storm.stallRecoverySeconds());
    assertTrue(storm.line().startsWith("load 0.70 x 4 attempts = 2.80 > 1:"), storm.line());
    assertTrue(storm.line().contains("does not end by itself"), storm.line());
    assertTrue(storm.line().contains("budget 42.9 %"), storm.line());
  }

  @Test
  void belowOneInFourTheStormOfFourAttemptsEnds_whenTheClosedFormSays() {
    OutageSpec spec = spec("stall", 0.2, 100);
    Protection jitter = named("jitter");
    double expected = new Verdicts(spec, jitter).stallRecoverySeconds();
    assertEquals((3.345 * 200 * 10 - 1000) / (1000 - 800), expected, 1);
    assertRecovers(expected, outcome(spec, jitter));
  }

  @Test
  void memoryIsThatOfWhatIsUnderWay_howeverLongTheQueue() {
    EventQueue time = new EventQueue();
    Speed slow = new Speed(0, 1000 * SECOND, 0);
    FifoServer server =
        new FifoServer(
            time, Draws.of(1), new FifoServer.Build(1, draws -> SECOND, Long.MAX_VALUE, slow));
    for (int i = 0; i < 100_000; i++) {
      FifoServer.Job job = new FifoServer.Job(() -> {});
      server.offer(job);
      job.abandon();
    }
    assertEquals(99_999, server.queued());
    assertTrue(server.held() <= 1, "held: " + server.held());
  }
}
