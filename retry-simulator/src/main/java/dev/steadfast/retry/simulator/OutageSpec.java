package dev.steadfast.retry.simulator;

/**
 * The world of an outage, without the clients' configuration. Immutable.
 *
 * @param server what is called
 * @param load who calls
 * @param trigger what goes wrong
 * @param horizonNanos how long calls arrive
 */
record OutageSpec(Server server, Load load, Trigger trigger, long horizonNanos) {
  private static final int TIMES_SLOWER = 10;

  /** The abilities of a server when it is well. */
  record Server(double perSecond, int workers, ServiceTime work, Refusal refusal) {}

  /** The longest queue, and what a 503 says in {@code Retry-After}; 0 for nothing. */
  record Refusal(long queueLimit, int retryAfterSeconds) {
    static final Refusal NONE = new Refusal(Long.MAX_VALUE, 0);
  }

  /**
   * Poisson arrivals, each from one of the clients by chance.
   *
   * @param perSecond how many
   * @param clients how many clients make them
   * @param timeoutNanos for one attempt, where the policy has none
   * @param unkeyedPosts the share of them that are POSTs without an idempotency key
   */
  record Load(double perSecond, int clients, long timeoutNanos, double unkeyedPosts) {}

  /**
   * An outage.
   *
   * @param kind how the server fails
   * @param startNanos when it begins to
   * @param lengthNanos for how long
   * @param share the capacity that is left of a slow server, or the attempts that fail at once
   */
  record Trigger(Kind kind, long startNanos, long lengthNanos, double share) {
    long endNanos() {
      return startNanos + lengthNanos;
    }
  }

  /** How a server fails. */
  enum Kind {
    /** Workers freeze, the queue grows. */
    STALL("stall"),
    /** Workers are slower. */
    SLOW("slow"),
    /** A share of the attempts fails at once. */
    FAIL_FAST("fail-fast"),
    /** One of two endpoints freezes, the one that takes ten times as long; the other is well. */
    SLOW_ENDPOINT("slow-endpoint");

    private static final String ALL = "stall, slow, fail-fast or slow-endpoint";

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    static Kind parse(String text) {
      for (Kind kind : values()) {
        if (kind.text.equals(text)) {
          return kind;
        }
      }
      throw BadInputException.of("--kind", text, ALL);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  double arrivalsPerSecond() {
    return load.perSecond();
  }

  /** Arrivals as a share of the capacity. */
  double rho() {
    return load.perSecond() / server.perSecond();
  }

  /** Attempts in a run beyond which a policy is taken for one that does not end. */
  long mostAttempts() {
    return 1_000_000 + (long) (500 * arrivalsPerSecond() * seconds());
  }

  /** Whether there are two endpoints, each with half of the workers' capacity and of the calls. */
  boolean twoEndpoints() {
    return trigger.kind() == Kind.SLOW_ENDPOINT;
  }

  FifoServer.Build build() {
    double within =
        switch (trigger.kind()) {
          case STALL -> 0;
          case SLOW -> trigger.share();
          case FAIL_FAST, SLOW_ENDPOINT -> 1;
        };
    return build(twoEndpoints() ? Math.max(1, server.workers() / 2) : server.workers(), 1, within);
  }

  /** The slow one of two endpoints: as many calls per second, each for longer. */
  FifoServer.Build slowEndpoint() {
    return build(Math.max(1, server.workers() / 2) * TIMES_SLOWER, TIMES_SLOWER, 0);
  }

  private FifoServer.Build build(int workers, int times, double within) {
    Speed speed = new Speed(trigger.startNanos(), trigger.endNanos(), within);
    double mean = times * server.workers() / server.perSecond() * Durations.SECOND;
    return new FifoServer.Build(
        workers,
        draws -> mean * server.work().shape().applyAsDouble(draws),
        server.refusal().queueLimit(),
        speed);
  }

  /** Whether attempts may fail at once. */
  boolean failing(long nowNanos) {
    return trigger.kind() == Kind.FAIL_FAST
        && nowNanos >= trigger.startNanos()
        && nowNanos < trigger.endNanos();
  }

  int seconds() {
    return (int) (horizonNanos / Durations.SECOND);
  }
}
