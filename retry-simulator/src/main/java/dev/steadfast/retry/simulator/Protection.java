package dev.steadfast.retry.simulator;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.resilience4j.Resilience4jGuards;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The configuration of a client. Each simulated client has its own objects.
 *
 * @param label its name in results
 * @param policy the policy
 * @param budget the budget
 * @param shedding what holds first attempts back, too
 */
record Protection(String label, RetryPolicy policy, Budget budget, Shedding shedding) {

  /**
   * The protections that hold first attempts back, too.
   *
   * @param breaker the breaker, empty for none
   * @param limit the limit, empty for none
   * @param peer the limit of another library, empty for none
   */
  record Shedding(Optional<Breaker> breaker, Optional<Limit> limit, Optional<Peer> peer) {
    static final Shedding NONE = of(Optional.empty(), Optional.empty());

    static Shedding of(Optional<Breaker> breaker, Optional<Limit> limit) {
      return new Shedding(breaker, limit, Optional.empty());
    }

    static Shedding of(Breaker breaker) {
      return of(Optional.of(breaker), Optional.empty());
    }

    static Shedding of(Limit limit) {
      return of(Optional.empty(), Optional.of(limit));
    }

    static Shedding of(Peer peer) {
      return new Shedding(Optional.empty(), Optional.empty(), Optional.of(peer));
    }

    boolean any() {
      return breaker.isPresent() || limit.isPresent() || peer.isPresent();
    }

    Shedding counting(List<FailureKind> losses) {
      return new Shedding(breaker, limit.map(each -> each.counting(losses)), peer);
    }

    /** Guards of one client. */
    List<Guard> guards(EventQueue time, Draws draws) {
      return Stream.of(
              breaker.map(each -> each.guard(time)),
              limit.map(each -> each.guard(draws)),
              peer.map(Peer::guard))
          .flatMap(Optional::stream)
          .toList();
    }
  }

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

  /** The protection with limits that count these failures as losses. */
  Protection counting(List<FailureKind> losses) {
    return new Protection(label, policy, budget, shedding.counting(losses));
  }

  /** The differences to the library's default policy, with budget and breaker. */
  String configuration() {
    Set<String> usual = Set.of(RetryPolicy.defaults().toString().split("; ", -1));
    String own =
        Stream.of(policy.toString().split("; ", -1))
            .filter(part -> !usual.contains(part))
            .collect(Collectors.joining("; "));
    return (own.isEmpty() ? "the default policy" : own)
        + "; budget "
        + budget
        + shedding.breaker().map(each -> "; " + each).orElse("; no breaker")
        + shedding.limit().map(each -> "; limit " + each).orElse("");
  }

  /** One client with objects of its own. */
  Client client(EventQueue time, Draws draws) {
    List<Guard> guards = shedding.guards(time, draws);
    RetryBudget opened = budget.open();
    HttpRetry.Builder retry =
        HttpRetry.builder()
            .policy(policy)
            .budget(opened)
            .environment(time.environment(draws.generator()));
    guards.forEach(retry::guard);
    String origin = HttpViews.Request.GET.origin();
    return new Client(
        retry.build(), opened.account(origin), OperationInfo.of(origin, origin), guards);
  }

  /** The objects of one client, and what it calls. */
  record Client(
      HttpRetry retry, RetryBudget.Account account, OperationInfo info, List<Guard> guards) {

    /** Whether the budget would pay for a retry now. Takes one, and gives it back. */
    boolean funded(long nowNanos) {
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
