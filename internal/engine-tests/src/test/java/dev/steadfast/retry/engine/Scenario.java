package dev.steadfast.retry.engine;

import dev.steadfast.retry.Retrier;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One row of the table that every entry point passes.
 *
 * @param name what the row holds
 * @param setup the configuration
 * @param steps what the work does
 * @param result what the caller gets: {@code = value}, or the class and message of an exception
 * @param trace the events
 */
record Scenario(String name, Setup setup, List<Step> steps, String result, String trace) {

  /** A row that begins with its name. */
  static Scenario of(String name) {
    return new Scenario(
        name, new Setup("", each -> each, new CountingGuard(), 100), List.of(), "", "");
  }

  /** How the retrier is configured. */
  record Setup(
      String policy, UnaryOperator<Retrier.Builder> more, CountingGuard guard, int tokens) {}

  Scenario policy(String policy) {
    return with(new Setup(policy, setup.more, setup.guard, setup.tokens));
  }

  Scenario given(UnaryOperator<Retrier.Builder> more) {
    return with(new Setup(setup.policy, more, setup.guard, setup.tokens));
  }

  Scenario guard(CountingGuard guard) {
    return with(new Setup(setup.policy, setup.more, guard, setup.tokens));
  }

  Scenario tokens(int tokens) {
    return with(new Setup(setup.policy, setup.more, setup.guard, tokens));
  }

  private Scenario with(Setup changed) {
    return new Scenario(name, changed, steps, result, trace);
  }

  Scenario work(Step... steps) {
    return new Scenario(name, setup, List.of(steps), result, trace);
  }

  Scenario leadsTo(String result, String trace) {
    return new Scenario(name, setup, steps, result, trace);
  }

  @Override
  public String toString() {
    return name;
  }
}
