package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A server that fails for a while under load that does not wait for it. */
final class Outage implements Scenario {

  static final RetryPolicy RETRIES =
      RetryPolicy.valueOf("maxAttempts=4; backoff=full(100ms..10s); totalTimeout=none");
  static final Protection NONE = usual("none", RETRIES.toBuilder().maxAttempts(1).build());
  static final Protection JITTER = usual("jitter", RETRIES);
  static final Protection BUDGET =
      new Protection("budget", RETRIES, Budget.SUCCESS, Protection.Shedding.NONE);
  static final Protection BREAKER =
      new Protection(
          "breaker", RETRIES, Budget.NONE, Protection.Shedding.of(Protection.Breaker.USUAL));
  static final Protection BREAKER_AND_BUDGET =
      new Protection(
          "breaker+budget",
          RETRIES,
          Budget.SUCCESS,
          Protection.Shedding.of(Protection.Breaker.USUAL));
  static final Protection LIMIT = limited("limit", Limit.ALONE);
  static final Protection THROTTLE = limited("throttle", Limit.THROTTLE);
  static final Protection LIMIT_AND_THROTTLE = limited("limit+throttle", Limit.DEFAULT);

  static final Protection DEFAULT =
      new Protection("default", RetryPolicy.defaults(), Budget.DEFAULT, Protection.Shedding.NONE);

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

    /** Successes per second, from the start of the outage to 20 s after its end. */
    long goodput() {
      return Math.round(Stats.median(traces.stream().mapToDouble(OutageTrace::goodput).toArray()));
    }

    long refused() {
      return Math.round(Stats.median(traces.stream().mapToDouble(OutageTrace::refused).toArray()));
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
    return new Protection(label, policy, Budget.NONE, Protection.Shedding.NONE);
  }

  private static Protection limited(String label, Limit limit) {
    return new Protection(label, RETRIES, Budget.SUCCESS, Protection.Shedding.of(limit));
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
        Option.policy("beside no retries and the library's default"),
        new Option(
            "budget", "default", "of --policy: none, default, success(0.1,10,0), request(...)"),
        new Option("breaker", "none", "of --policy: none, default, breaker(100,20,50,5s,5)"),
        new Option(
            "limit", "none", "of --policy: none, default, limit(1,20,200), throttle, or @endpoint"),
        new Option(
            "compare",
            "usual",
            "without --policy: usual (jitter, budget, breaker), limits, or peers (other libraries)"),
        new Option(
            "losses", "", "what limits count, such as timeout,unavailable [the library's choice]"),
        new Option("kind", "stall", "stall, slow, fail-fast or slow-endpoint"),
        new Option("length", "10s", "how long the outage lasts, 1s to 1h"),
        new Option("slow-to", "0.4", "share of the capacity that is left, for --kind slow"),
        new Option("error-rate", "1", "share of the attempts that fail, for --kind fail-fast"),
        new Option("retry-after", "0", "seconds that a 503 asks for, 0 to 3600; 0 for no header"),
        new Option("rps", "", "calls per second that arrive, 1 % to 99 % of the capacity [70 %]"),
        new Option("unkeyed-posts", "0", "share of them that are POSTs without a key, 0 to 1"),
        new Option("capacity", "1000", "calls per second that the server can do"),
        new Option("workers", "10", "calls that it does at a time"),
        new Option(
            "latency",
            "exponential",
            "work for one call: exponential, fixed, or median..99 % such as 8ms..60ms"),
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
          arguments.typed("rps", "capacity", "horizon", "runs"),
          "together "
              + Numbers.plain(spec.arrivalsPerSecond() * spec.seconds() * runs, 0)
              + " calls",
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
    long length = arguments.duration("length", Durations.SECOND, HOUR);
    OutageSpec.Kind kind = OutageSpec.Kind.parse(arguments.text("kind"));
    OutageSpec.Trigger trigger =
        new OutageSpec.Trigger(kind, 30 * Durations.SECOND, length, share(arguments, kind));
    long least = trigger.endNanos() + 20 * Durations.SECOND;
    OutageSpec.Server server = server(arguments, kind);
    return new OutageSpec(
        server,
        new OutageSpec.Load(
            arrivals(arguments, server.perSecond()),
            arguments.integer("clients", 1, 10_000),
            arguments.duration("timeout", 1_000_000, HOUR),
            arguments.decimal("unkeyed-posts", 0, 1)),
        trigger,
        arguments.duration("horizon", least, 24 * HOUR));
  }

  private static double arrivals(Arguments arguments, double capacity) {
    return arguments.has("rps")
        ? arguments.decimal("rps", 0.01 * capacity, 0.99 * capacity)
        : 0.7 * capacity;
  }

  private static double share(Arguments arguments, OutageSpec.Kind kind) {
    double left = arguments.decimal("slow-to", 0.01, 1);
    double failing = arguments.decimal("error-rate", 0.01, 1);
    arguments.only("slow-to", kind == OutageSpec.Kind.SLOW, "--kind slow");
    arguments.only("error-rate", kind == OutageSpec.Kind.FAIL_FAST, "--kind fail-fast");
    return kind == OutageSpec.Kind.SLOW ? left : failing;
  }

  private static OutageSpec.Server server(Arguments arguments, OutageSpec.Kind kind) {
    double capacity = arguments.decimal("capacity", 1, 100_000);
    int queueLimit = arguments.integer("queue-limit", 0, 100_000_000);
    int retryAfter = arguments.integer("retry-after", 0, 3600);
    arguments.only(
        "retry-after",
        kind == OutageSpec.Kind.FAIL_FAST || queueLimit > 0,
        "--kind fail-fast or --queue-limit");
    ServiceTime work = ServiceTime.parse(arguments.text("latency"));
    OutageSpec.Refusal refusal =
        new OutageSpec.Refusal(queueLimit == 0 ? Long.MAX_VALUE : queueLimit, retryAfter);
    return new OutageSpec.Server(capacity, workers(arguments, work, capacity), work, refusal);
  }

  /** A known latency in milliseconds needs so many workers for the capacity. */
  private static int workers(Arguments arguments, ServiceTime work, double capacity) {
    int workers = arguments.integer("workers", 1, 10_000);
    if (work.meanNanos() == 0) {
      return workers;
    }
    arguments.only("workers", false, "--latency exponential or fixed");
    double needed = work.meanNanos() / Durations.SECOND * capacity;
    if (needed >= 1 && needed <= 10_000) {
      return (int) Math.round(needed);
    }
    throw BadInputException.of(
        arguments.typed("latency", "capacity"),
        "together " + Numbers.plain(needed, 4) + " calls at a time",
        "1 to 10000, so at this capacity a mean latency of "
            + Durations.print((long) Math.ceil(Durations.SECOND / capacity))
            + " to "
            + Durations.print((long) (10_000 * Durations.SECOND / capacity)));
  }

  private static List<Protection> protections(Arguments arguments, long timeoutNanos) {
    Budget budget = Budget.parse(arguments.text("budget"));
    Protection.Shedding shedding =
        Protection.Shedding.of(
            Protection.Breaker.parse(arguments.text("breaker")),
            Limit.parse(arguments.text("limit")));
    List<Arguments.Own> own = arguments.policies();
    for (String name : List.of("budget", "breaker", "limit")) {
      arguments.only(name, !own.isEmpty(), "--policy");
    }
    arguments.only("compare", own.isEmpty(), "no --policy");
    List<Protection> all = new ArrayList<>(List.of(NONE));
    if (own.isEmpty()) {
      all.addAll(compared(arguments.text("compare")));
    } else {
      all.add(DEFAULT);
      own.forEach(each -> all.add(new Protection(each.name(), each.policy(), budget, shedding)));
    }
    String losses = arguments.text("losses");
    return all.stream()
        .map(each -> losses.isEmpty() ? each : each.counting(Limit.kinds(losses)))
        .map(each -> timed(each, timeoutNanos))
        .toList();
  }

  private static List<Protection> compared(String text) {
    return switch (text) {
      case "usual" -> List.of(JITTER, BUDGET, BREAKER);
      case "limits" -> List.of(BUDGET, BREAKER_AND_BUDGET, LIMIT, THROTTLE, LIMIT_AND_THROTTLE);
      case "peers" ->
          Stream.of(Peer.values())
              .map(peer ->
                  new Protection(
                      peer.label(), RETRIES, Budget.SUCCESS, Protection.Shedding.of(peer)))
              .toList();
      default -> throw BadInputException.of("--compare", text, "usual, limits or peers");
    };
  }

  /** The protection with a timeout for one attempt, where the policy has none. */
  static Protection timed(Protection protection, long nanos) {
    RetryPolicy policy = protection.policy();
    RetryPolicy timed =
        policy.attemptTimeout(1).isPresent()
            ? policy
            : policy.toBuilder().attemptTimeout(Duration.ofNanos(nanos)).build();
    return new Protection(protection.label(), timed, protection.budget(), protection.shedding());
  }
}
