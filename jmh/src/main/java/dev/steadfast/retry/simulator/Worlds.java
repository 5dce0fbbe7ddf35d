package dev.steadfast.retry.simulator;

/**
 * What the benchmarks simulate: the simulator's usual worlds, in the size asked for. The benchmarks
 * of the simulator stand in its package, because it offers nothing to others.
 */
final class Worlds {
  static final double RHO = 0.7;
  private static final int CLIENTS = 50;
  private static final int WORKERS = 10;
  private static final long HOP_DEVIATION_NANOS = 2_000_000;
  private static final long START_SECOND = 30;

  private Worlds() {}

  /** A stall at the load of the simulator's own tour. */
  static OutageSpec outage(int perSecond, int lengthSeconds, int horizonSeconds) {
    return new OutageSpec(
        new OutageSpec.Server(perSecond, WORKERS, ServiceTime.EXPONENTIAL, OutageSpec.Refusal.NONE),
        new OutageSpec.Load(RHO * perSecond, CLIENTS, Durations.SECOND, 0),
        new OutageSpec.Trigger(
            OutageSpec.Kind.STALL,
            START_SECOND * Durations.SECOND,
            lengthSeconds * Durations.SECOND,
            1),
        horizonSeconds * Durations.SECOND);
  }

  static Protection protection(String name) {
    Protection protection =
        switch (name) {
          case "none" -> Outage.NONE;
          case "jitter" -> Outage.JITTER;
          case "budget" -> Outage.BUDGET;
          case "breaker" -> Outage.BREAKER;
          default -> throw new IllegalArgumentException(name);
        };
    return Outage.timed(protection, Durations.SECOND);
  }

  static Race.Course race(String strategy, int clients) {
    Contention.Strategy found =
        Contention.STRATEGIES.stream()
            .filter(each -> each.name().equals(strategy))
            .findFirst()
            .orElseThrow();
    return new Race.Course(found.policy(), clients, HOP_DEVIATION_NANOS);
  }
}
