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

  /** What a server can do when it is well. */
  record Server(double perSecond, int workers, long queueLimit) {}

  /** Poisson arrivals at a share of the capacity, each from one of the clients by chance. */
  record Load(double rho, int clients, long timeoutNanos) {}

  /** An outage. */
  record Trigger(Kind kind, long startNanos, long lengthNanos, double slowTo) {
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
    /** Each attempt fails at once. */
    FAIL_FAST("fail-fast");

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
      throw BadInputException.of("--kind", text, "stall, slow or fail-fast");
    }

    @Override
    public String toString() {
      return text;
    }
  }

  double arrivalsPerSecond() {
    return load.rho() * server.perSecond();
  }

  /** Attempts in a run beyond which a policy is taken for one that does not end. */
  long mostAttempts() {
    return 1_000_000 + (long) (500 * arrivalsPerSecond() * seconds());
  }

  FifoServer.Build build() {
    double within =
        switch (trigger.kind()) {
          case STALL -> 0;
          case SLOW -> trigger.slowTo();
          case FAIL_FAST -> 1;
        };
    Speed speed = new Speed(trigger.startNanos(), trigger.endNanos(), within);
    double mean = server.workers() / server.perSecond() * Durations.SECOND;
    return new FifoServer.Build(
        server.workers(), draws -> draws.exponential(mean), server.queueLimit(), speed);
  }

  boolean failsAtOnce(long nowNanos) {
    return trigger.kind() == Kind.FAIL_FAST
        && nowNanos >= trigger.startNanos()
        && nowNanos < trigger.endNanos();
  }

  int seconds() {
    return (int) (horizonNanos / Durations.SECOND);
  }
}
