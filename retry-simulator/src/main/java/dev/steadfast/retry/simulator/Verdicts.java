package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.engine.Decider;

/**
 * The predictions of the closed formulas for a configuration in an outage. They hold for a long
 * queue, first come first served, and a server that does not know of timeouts.
 */
final class Verdicts {
  private static final int SAMPLES = 400;

  private final OutageSpec spec;
  private final Protection protection;
  private final Failing failing;

  /**
   * The attempts that an operation makes while every attempt times out, with nothing but its policy
   * to end it.
   *
   * @param attempts the mean number of attempts
   * @param inOutage the mean number of attempts that it makes before the outage ends, for one that
   *     begins at any time within it
   */
  private record Failing(double attempts, double inOutage) {}

  Verdicts(OutageSpec spec, Protection protection) {
    this.spec = spec;
    this.protection = protection;
    this.failing = failing();
  }

  private Failing failing() {
    Draws draws = Draws.of(0);
    double length = Math.max(1, spec.trigger().lengthNanos());
    double attempts = 0;
    double inOutage = 0;
    for (int i = 0; i < SAMPLES; i++) {
      RetryBudget.Account account = RetryBudget.unlimited().account("any");
      Decider decider = Decider.begin(protection.policy(), account, draws.generator(), 0);
      long now = 0;
      boolean goesOn = true;
      while (goesOn && now < 100 * length) {
        attempts++;
        inOutage += Math.max(0, 1 - now / length);
        decider.startAttempt();
        now += decider.timeoutNanos(now);
        now += decider.next(Outcomes.TIMEOUT, now);
        goesOn = decider.end().isEmpty();
      }
    }
    return new Failing(attempts / SAMPLES, inOutage / SAMPLES);
  }

  /**
   * The factor by which first tries are multiplied while nothing succeeds; NaN if no form is known.
   */
  double amplification() {
    double attempts = mostly(failing.attempts());
    double floor = protection.budget().floor() * spec.load().clients() / spec.arrivalsPerSecond();
    return switch (protection.budget().funding()) {
      case UNLIMITED -> attempts;
      case SUCCESS -> Math.min(attempts, 1 + floor);
      case REQUEST -> Math.min(attempts, 1 + protection.budget().ratio() + floor);
      case OTHER -> attempts == 1 ? 1 : Double.NaN;
    };
  }

  // A POST without a key is not sent again when its answer is lost.
  private double mostly(double attempts) {
    return 1 + (attempts - 1) * (1 - spec.load().unkeyedPosts());
  }

  /** Seconds from the end of a stall; infinite for never, NaN if no form is known. */
  double stallRecoverySeconds() {
    double bad = amplification();
    double arrivals = spec.arrivalsPerSecond();
    double capacity = spec.server().perSecond();
    if (bad * spec.rho() >= 1) {
      return Double.POSITIVE_INFINITY;
    }
    boolean unlimited = protection.budget().funding() == Budget.Funding.UNLIMITED;
    double during = unlimited ? mostly(failing.inOutage()) : bad;
    double start = failing.attempts() == 1 ? 0 : protection.budget().burst();
    double backlog =
        during * arrivals * Durations.seconds(spec.trigger().lengthNanos())
            + start * spec.load().clients()
            - capacity * Durations.seconds(spec.load().timeoutNanos());
    return Math.max(0, backlog / (capacity - bad * arrivals));
  }

  /** One line for people. */
  String line() {
    if (protection.shedding().any()) {
      String what = protection.shedding().breaker().isPresent() ? "breaker" : "limit";
      return "the " + what + " holds first tries back too: see the runs, there is no closed form";
    }
    double bad = amplification();
    boolean partial =
        spec.trigger().kind() == OutageSpec.Kind.FAIL_FAST && spec.trigger().share() < 1;
    if (partial) {
      return "a share of the attempts succeeds: see the runs, there is no closed form";
    }
    if (Double.isNaN(bad)) {
      return "there is no closed form for this budget: see the runs";
    }
    if (spec.trigger().kind() == OutageSpec.Kind.FAIL_FAST && spec.trigger().share() == 1) {
      return "no queue grows while every attempt fails at once, so nothing is left to recover from";
    }
    double rho = spec.rho();
    String product =
        "load " + Numbers.fixed(rho, 2) + " x " + factor(bad) + " = " + Numbers.fixed(bad * rho, 2);
    if (bad * rho > 1) {
      return product
          + " > 1: once the queue is longer than the timeout, this storm does not end by itself"
          + "; largest safe request-funded budget "
          + Numbers.percent(1 / rho - 1);
    }
    return product + " < 1: it ends by itself" + afterStall();
  }

  private String afterStall() {
    double seconds = stallRecoverySeconds();
    return spec.trigger().kind() == OutageSpec.Kind.STALL
        ? ", by the closed form after " + Numbers.fixed(seconds, 0) + " s"
        : "";
  }

  private String factor(double bad) {
    return switch (protection.budget().funding()) {
      case UNLIMITED -> Numbers.plain(bad, 2) + (bad == 1 ? " attempt" : " attempts");
      case SUCCESS ->
          bad == 1
              ? "1 (nothing succeeds, so no retry is earned)"
              : Numbers.plain(bad, 2) + " (only the budget's floor is left)";
      default -> Numbers.plain(bad, 2);
    };
  }
}
