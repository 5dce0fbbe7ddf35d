package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A server that fails for a while under load that does not wait for it. */
final class Outage implements Scenario {

  static final RetryPolicy RETRIES =
      RetryPolicy.parse("maxAttempts=4; backoff=full(100ms..10s); totalTimeout=none");
  static final Protection NONE = usual("none", RETRIES.toBuilder().maxAttempts(1).build());
  static final Protection JITTER = usual("jitter", RETRIES);
  static final Protection BUDGET =
      new Protection("budget", RETRIES, Budget.SUCCESS, Optional.empty());
  static final Protection BREAKER =
      new Protection("breaker", RETRIES, Budget.NONE, Optional.of(Protection.Breaker.USUAL));

  private static final long HOUR = 3_600 * Durations.SECOND;
  private static final double MOST_ARRIVALS = 20e6;

  /** A configuration and what its runs came to. */
  record Outcome(Protection protection, List<OutageTrace> traces) {
    /** The median; never, if that is what most runs say. */
    double recovery() {
      double[] each =
          traces.stream()
              .mapToDouble(OutageTrace::recovery)
              .map(seconds -> seconds < 0 ? Double.POSITIVE_INFINITY : seconds)
              .toArray();
      return Stats.median(each);
    }

    String recoveryText() {
      double seconds = recovery();
      return Double.isInfinite(seconds) ? "never" : Numbers.plain(seconds, 1);
    }

    long failed() {
      return Math.round(Stats.median(traces.stream().mapToDouble(OutageTrace::failed).toArray()));
    }

    long peak() {
      return Math.round(Stats.median(traces.stream().mapToDouble(OutageTrace::peak).toArray()));
    }

    long steady() {
      return Math.round(Stats.median(traces.stream().mapToDouble(OutageTrace::steady).toArray()));
    }

    double loadDuring() {
      return Stats.median(traces.stream().mapToDouble(OutageTrace::loadDuring).toArray());
    }
  }

  private static Protection usual(String label, RetryPolicy policy) {
    return new Protection(label, policy, Budget.NONE, Optional.empty());
  }

  @Override
  public String name() {
    return "outage";
  }

  @Override
  public String summary() {
    return "a server stalls, slows down or fails: who recovers, and when";
  }

  @Override
  public List<Option> options() {
    return List.of(
        new Option(
            "policy", "", "a policy of your own; without one: none, jitter, budget, breaker"),
        new Option(
            "budget", "none", "with --policy: none, default, success(0.1,10,0), request(...)"),
        new Option("breaker", "none", "with --policy: none, default, breaker(100,20,50,5s,5)"),
        new Option("kind", "stall", "stall, slow or fail-fast"),
        new Option("length", "10s", "how long the outage lasts, 1s to 1h"),
        new Option("slow-to", "0.4", "share of the capacity that is left, for --kind slow"),
        new Option("rho", "0.7", "arrivals as a share of the capacity, 0.01 to 0.99"),
        new Option("capacity", "1000", "calls per second that the server can do"),
        new Option("workers", "10", "calls that it does at a time"),
        new Option("queue-limit", "0", "calls that may wait at the server; 0 for no limit"),
        new Option("clients", "50", "clients, each with a budget and a breaker of its own"),
        new Option("timeout", "1s", "for one attempt, where the policy has none"),
        new Option("horizon", "240s", "how long calls arrive; the outage begins at 30s"),
        Option.runs(8),
        Option.SEED);
  }

  @Override
  public Result run(Arguments arguments, Progress progress) {
    OutageSpec spec = spec(arguments);
    List<Protection> protections = protections(arguments, spec.load().timeoutNanos());
    int runs = arguments.integer("runs", 1, 10_000);
    if (spec.arrivalsPerSecond() * spec.seconds() * runs > MOST_ARRIVALS) {
      throw BadInputException.of(
          "--rho x --capacity x --horizon x --runs",
          Numbers.plain(spec.arrivalsPerSecond() * spec.seconds() * runs, 0) + " calls",
          "at most " + Numbers.plain(MOST_ARRIVALS, 0));
    }
    progress.begin(name(), (long) protections.size() * runs * spec.seconds());
    List<Outcome> outcomes = new ArrayList<>();
    for (Protection protection : protections) {
      Draws[] draws = Draws.each(arguments.seed(), runs);
      outcomes.add(
          new Outcome(
              protection,
              Runs.each(draws, each -> OutageRun.run(spec, protection, each, progress))));
    }
    return OutageReport.of(spec, outcomes);
  }

  private static OutageSpec spec(Arguments arguments) {
    int queueLimit = arguments.integer("queue-limit", 0, 100_000_000);
    long length = arguments.duration("length", Durations.SECOND, HOUR);
    OutageSpec.Trigger trigger =
        new OutageSpec.Trigger(
            OutageSpec.Kind.parse(arguments.text("kind")),
            30 * Durations.SECOND,
            length,
            arguments.decimal("slow-to", 0.01, 1));
    long least = trigger.endNanos() + 20 * Durations.SECOND;
    return new OutageSpec(
        new OutageSpec.Server(
            arguments.decimal("capacity", 1, 100_000),
            arguments.integer("workers", 1, 10_000),
            queueLimit == 0 ? Long.MAX_VALUE : queueLimit),
        new OutageSpec.Load(
            arguments.decimal("rho", 0.01, 0.99),
            arguments.integer("clients", 1, 10_000),
            arguments.duration("timeout", 1_000_000, HOUR)),
        trigger,
        arguments.duration("horizon", least, 24 * HOUR));
  }

  private static List<Protection> protections(Arguments arguments, long timeoutNanos) {
    Budget budget = Budget.parse(arguments.text("budget"));
    Optional<Protection.Breaker> breaker = Protection.Breaker.parse(arguments.text("breaker"));
    Optional<RetryPolicy> policy = arguments.policy();
    if (policy.isPresent()) {
      return List.of(
          new Protection(
              policy.get().toString(), withTimeout(policy.get(), timeoutNanos), budget, breaker));
    }
    if (budget.bounds() || breaker.isPresent()) {
      throw new BadInputException("--budget and --breaker go with --policy");
    }
    return List.of(NONE, JITTER, BUDGET, BREAKER).stream()
        .map(each -> timed(each, timeoutNanos))
        .toList();
  }

  static Protection timed(Protection protection, long timeoutNanos) {
    return new Protection(
        protection.label(),
        withTimeout(protection.policy(), timeoutNanos),
        protection.budget(),
        protection.breaker());
  }

  private static RetryPolicy withTimeout(RetryPolicy policy, long nanos) {
    return policy.attemptTimeout(1).isPresent()
        ? policy
        : policy.toBuilder().attemptTimeout(Duration.ofNanos(nanos)).build();
  }
}
