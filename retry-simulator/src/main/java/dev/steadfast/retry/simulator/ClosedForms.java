package dev.steadfast.retry.simulator;

/**
 * Formulas that need no run: attempts per first try against the failure rate p of one attempt,
 * failures being independent of each other.
 */
final class ClosedForms {
  private ClosedForms() {}

  /** The load with n attempts and nothing else to bound them. */
  static double load(double p, double attempts) {
    return p == 1 ? attempts : (1 - StrictMath.pow(p, attempts)) / (1 - p);
  }

  static double success(double p, double attempts) {
    return 1 - StrictMath.pow(p, attempts);
  }

  /** Attempts at the bottom where each of several layers makes n attempts. */
  static double layered(double p, int attempts, int layers) {
    return load(p, StrictMath.pow(attempts, layers));
  }

  /** The load with a budget that each success pays into. */
  static double successFunded(double p, int attempts, double ratio) {
    return Math.min(load(p, attempts), 1 / (1 - ratio * (1 - p)));
  }

  /** The load with a budget that each first try pays into. */
  static double requestFunded(double p, int attempts, double ratio) {
    return Math.min(load(p, attempts), 1 + ratio);
  }

  /**
   * The load with the quota of AWS: a retry that succeeds gets its cost back, a first try that
   * does, one.
   */
  static double awsQuota(double p, int attempts, double cost) {
    return p == 0 ? 1 : Math.min(load(p, attempts), 1 + (1 - p) / (cost * p));
  }
}
