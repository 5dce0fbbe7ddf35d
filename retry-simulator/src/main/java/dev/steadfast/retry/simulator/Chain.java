package dev.steadfast.retry.simulator;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Decider;
import dev.steadfast.retry.engine.Outcome;

/**
 * Layers that call each other, with a bottom that fails by chance. Each layer retries calls that
 * failed below it, unless the layer above told it not to. Waits take no time here.
 */
final class Chain {
  private static final Outcome TOLD =
      Outcomes.answered(503, Verdict.retryable(FailureKind.UNAVAILABLE).withDoNotRetry());
  private static final long BETWEEN_CALLS_NANOS = 1_000_000;

  private final Setup setup;
  private final double failureRate;
  private final Draws draws;
  private final RetryBudget.Account[][] accounts; // by layer and client
  private long nowNanos;
  private long bottom;

  /**
   * How the layers are configured.
   *
   * @param policy the policy of each layer
   * @param layers how many there are
   * @param budget the budget that each client has in each layer
   * @param oneOwner whether only the topmost layer retries, the others being told not to
   */
  record Setup(RetryPolicy policy, int layers, Budget budget, boolean oneOwner) {}

  /** The result of calls: attempts at the bottom and successes at the top, both per call. */
  record Load(double load, double success) {}

  Chain(Setup setup, int clients, double failureRate, Draws draws) {
    this.setup = setup;
    this.failureRate = failureRate;
    this.draws = draws;
    this.accounts = new RetryBudget.Account[setup.layers()][clients];
    for (RetryBudget.Account[] layer : accounts) {
      for (int i = 0; i < clients; i++) {
        layer[i] = setup.budget().open().account("layer below");
      }
    }
  }

  /** Makes calls, each client in its turn. */
  Load calls(int number) {
    long before = bottom;
    long succeeded = 0;
    for (int i = 0; i < number; i++) {
      nowNanos += BETWEEN_CALLS_NANOS;
      succeeded += call(0, i % accounts[0].length) ? 1 : 0;
    }
    return new Load((double) (bottom - before) / number, (double) succeeded / number);
  }

  private boolean call(int layer, int client) {
    RetryBudget.Account account = accounts[layer][client];
    Decider decider = Decider.begin(setup.policy(), account, draws.generator(), nowNanos);
    while (true) {
      decider.startAttempt();
      boolean worked = layer == setup.layers() - 1 ? work() : call(layer + 1, client);
      Outcome failed = layer > 0 && setup.oneOwner() ? TOLD : Outcomes.UNAVAILABLE;
      Outcome outcome = worked ? Outcomes.ACCEPTED : failed;
      decider.next(outcome, nowNanos);
      if (decider.end().isPresent()) {
        return worked;
      }
    }
  }

  private boolean work() {
    bottom++;
    return draws.uniform() >= failureRate;
  }
}
