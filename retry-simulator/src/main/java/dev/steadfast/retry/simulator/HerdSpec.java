package dev.steadfast.retry.simulator;

/**
 * The world of a Retry-After herd. Immutable.
 *
 * @param clients how many calls there are
 * @param perSecond what the server can do
 * @param queueLimit the calls that it lets wait
 * @param serverDelaySeconds the delay that it sends with each refusal
 * @param hopNanos the mean time on the way to the server; its deviation is a fifth of it
 * @param arriveNanos over what time the first calls arrive; until then the server is closed
 */
record HerdSpec(
    int clients,
    double perSecond,
    int queueLimit,
    int serverDelaySeconds,
    long hopNanos,
    long arriveNanos) {
  long serverDelayNanos() {
    return serverDelaySeconds * Durations.SECOND;
  }

  /** The calls of a run in which all come at once, again and again. */
  double mostCalls() {
    double round = Math.min(queueLimit + 1.0, Math.max(1, perSecond * serverDelaySeconds));
    return (double) clients * clients / (2 * round);
  }

  FifoServer.Build build() {
    Speed speed = new Speed(0, 0, 1);
    double each = Durations.SECOND / perSecond;
    return new FifoServer.Build(1, draws -> each, queueLimit, speed);
  }
}
