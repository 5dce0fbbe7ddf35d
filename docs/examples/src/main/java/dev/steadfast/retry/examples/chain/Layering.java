package dev.steadfast.retry.examples.chain;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Propagation;
import java.util.Locale;

/** Who in the chain retries, and what bounds it. */
enum Layering {
  EVERY_LAYER("every layer, no budget") {
    @Override
    HttpRetry.Builder configure(HttpRetry.Builder layer, boolean owner, String next) {
      return layer.budget(RetryBudget.unlimited());
    }

    @Override
    double closedForm(double p, Run run) {
      return geometric(p, (int) Math.pow(CallChain.ATTEMPTS, CallChain.LAYERS));
    }
  },

  ONE_OWNER("the driver, no budget") {
    @Override
    HttpRetry.Builder configure(HttpRetry.Builder layer, boolean owner, String next) {
      return layer.budget(RetryBudget.unlimited()).propagation(below(next, owner));
    }

    @Override
    double closedForm(double p, Run run) {
      return geometric(p, CallChain.ATTEMPTS);
    }
  },

  BUDGET("the driver, default budget") {
    @Override
    HttpRetry.Builder configure(HttpRetry.Builder layer, boolean owner, String next) {
      return layer.propagation(below(next, owner));
    }

    // A tenth of the successes, which are (1 - p) of all requests, the start, one per second.
    @Override
    double closedForm(double p, Run run) {
      return 1 / (1 - 0.1 * (1 - p)) + (10 + run.seconds()) / run.top();
    }

    @Override
    boolean holds(double p, Run run) {
      return run.amplification() <= Math.min(1.2, 1.02 * closedForm(p, run));
    }

    @Override
    String expectation(double p, Run run) {
      return "<=" + super.expectation(p, run);
    }
  };

  private final String title;

  Layering(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /** Adds what this is about to the configuration of one layer that calls the next. */
  abstract HttpRetry.Builder configure(HttpRetry.Builder layer, boolean owner, String next);

  abstract double closedForm(double p, Run run);

  boolean holds(double p, Run run) {
    double expected = closedForm(p, run);
    return Math.abs(run.amplification() - expected) <= 0.05 * expected;
  }

  String expectation(double p, Run run) {
    return String.format(Locale.ROOT, "%.2f", closedForm(p, run));
  }

  private static Propagation below(String next, boolean owner) {
    Propagation told = Propagation.to(next);
    return owner ? told.owningRetries() : told;
  }

  /** The mean number of attempts, of which each fails with probability p. */
  private static double geometric(double p, int attempts) {
    return p == 1 ? attempts : (1 - Math.pow(p, attempts)) / (1 - p);
  }
}
