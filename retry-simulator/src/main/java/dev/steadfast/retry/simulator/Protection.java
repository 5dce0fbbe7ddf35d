package dev.steadfast.retry.simulator;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.Withdrawal;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.resilience4j.Resilience4jGuards;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a client is configured with. Each simulated client has objects of its own.
 *
 * @param label its name in results
 * @param policy the policy
 * @param budget the budget
 * @param breaker the breaker, empty for none
 */
record Protection(String label, RetryPolicy policy, Budget budget, Optional<Breaker> breaker) {

  /**
   * The numbers of a breaker.
   *
   * @param window calls that it remembers
   * @param minimum calls before it judges
   * @param percent failures at which it opens
   * @param openNanos how long it stays open
   * @param probes attempts that it admits when half-open
   */
  record Breaker(int window, int minimum, double percent, long openNanos, int probes) {
    static final Breaker USUAL = new Breaker(100, 20, 50, 5 * Durations.SECOND, 5);

    static Optional<Breaker> parse(String text) {
      return switch (text) {
        case "none" -> Optional.empty();
        case "default" -> Optional.of(USUAL);
        default -> Optional.of(read(text));
      };
    }

    private static Breaker read(String text) {
      Call call = Call.read(text, "--breaker", "none, default, or breaker(100,20,50,5s,5)");
      if (!call.name().equals("breaker")) {
        throw call.bad();
      }
      call.expect(5);
      Breaker breaker =
          new Breaker(call.whole(0), call.whole(1), call.decimal(2), call.nanos(3), call.whole(4));
      if (!breaker.possible()) {
        throw BadInputException.of(
            "--breaker",
            text,
            "window 1 to 10000, minimum up to it, percent 0.1 to 100, open 1ms to 1h, probes 1 to"
                + " 1000");
      }
      return breaker;
    }

    private boolean possible() {
      return window >= 1
          && window <= 10_000
          && minimum >= 1
          && minimum <= window
          && percent >= 0.1
          && percent <= 100
          && openNanos >= 1_000_000
          && openNanos <= 3_600 * Durations.SECOND
          && probes >= 1
          && probes <= 1_000;
    }

    Guard guard(EventQueue time) {
      CircuitBreakerConfig config =
          CircuitBreakerConfig.custom()
              .slidingWindow(window, minimum, CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
              .failureRateThreshold((float) percent)
              .waitDurationInOpenState(Duration.ofNanos(openNanos))
              .permittedNumberOfCallsInHalfOpenState(probes)
              .writableStackTraceEnabled(false)
              .clock(time.clock())
              .currentTimestampFunction(clock -> time.nowNanos(), TimeUnit.NANOSECONDS)
              .build();
      return Resilience4jGuards.circuitBreaker(config);
    }

    @Override
    public String toString() {
      return "breaker("
          + window
          + ","
          + minimum
          + ","
          + Numbers.plain(percent, 3)
          + ","
          + Durations.print(openNanos)
          + ","
          + probes
          + ")";
    }
  }

  /** One client with objects of its own. */
  Client client(EventQueue time, Draws draws, String name) {
    List<Guard> guards = breaker.map(each -> List.of(each.guard(time))).orElse(List.of());
    RetryPlan plan =
        RetryPlan.of(policy, budget.open(), time.environment(draws.generator())).withGuards(guards);
    return new Client(plan, OperationInfo.of(name, name), guards);
  }

  /** The objects of one client, and what it calls. */
  record Client(RetryPlan plan, OperationInfo info, List<Guard> guards) {

    /** Whether the budget would pay for a retry now. Takes one, and gives it back. */
    boolean funded(long nowNanos) {
      RetryBudget.Account account = plan.budget().account(info.origin());
      Withdrawal one = account.tryWithdraw(FailureKind.TIMEOUT, nowNanos);
      if (one.granted()) {
        account.refund(one, nowNanos);
      }
      return one.granted();
    }

    /** Whether the breaker is open. */
    boolean open(long nowNanos) {
      return guards.stream().anyMatch(guard -> guard.admitsInNanos(info, nowNanos) != 0);
    }
  }
}
