package dev.steadfast.retry.simulator;

/** How long a server takes for one call, in milliseconds. Immutable. */
interface Latency {

  /** One latency. */
  double draw(Draws draws);

  /** Exponential with a mean of 1 ms: what the closed forms are tested with. */
  static Latency exponential() {
    return draws -> draws.exponential(1);
  }

  /** Log-normal around 10 ms; now and then a stall of 100 ms or more comes on top. */
  static Latency mixture(double stallRate) {
    return draws -> {
      double usual = 10 * StrictMath.exp(0.4 * draws.gaussian());
      if (draws.uniform() >= stallRate) {
        return usual;
      }
      // Pareto with shape 1.5: a tenth of the stalls last longer than 464 ms.
      return usual + 100 * StrictMath.pow(1 - draws.uniform(), -1 / 1.5);
    };
  }
}
