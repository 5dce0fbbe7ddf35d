package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What all operations of a client have in common, resolved once: policy, budget, guards, listeners,
 * environment. Immutable; users meet it only behind a client's configuration.
 */
public final class RetryPlan {
  private final RetryPolicy policy;
  private final RetryBudget budget;
  private final List<Guard> guards;
  private final Listeners listeners;
  private final RetryEnvironment environment;
  private final @Nullable Surroundings surroundings;

  // One parameter per field; nobody but the copies below calls it.
  private RetryPlan(
      RetryPolicy policy,
      RetryBudget budget,
      List<Guard> guards,
      Listeners listeners,
      RetryEnvironment environment,
      @Nullable Surroundings surroundings) {
    this.policy = policy;
    this.budget = budget;
    this.guards = guards;
    this.listeners = listeners;
    this.environment = environment;
    this.surroundings = surroundings;
  }

  /**
   * A plan without guards and listeners.
   *
   * @param policy the policy
   * @param budget the budget
   * @param environment time, randomness, scheduler
   * @return a plan
   */
  public static RetryPlan of(RetryPolicy policy, RetryBudget budget, RetryEnvironment environment) {
    return new RetryPlan(
        Checks.notNull("policy", policy),
        Checks.notNull("budget", budget),
        List.of(),
        new Listeners(List.of()),
        Checks.notNull("environment", environment),
        null);
  }

  /**
   * The same plan with guards, in the order in which an attempt passes them.
   *
   * @param guards breakers and bulkheads
   * @return a changed copy
   */
  public RetryPlan withGuards(List<Guard> guards) {
    return new RetryPlan(policy, budget, List.copyOf(guards), listeners, environment, surroundings);
  }

  /**
   * The same plan with listeners.
   *
   * @param listeners told about every step, in this order
   * @return a changed copy
   */
  public RetryPlan withListeners(List<RetryListener> listeners) {
    return new RetryPlan(
        policy, budget, guards, new Listeners(listeners), environment, surroundings);
  }

  /**
   * The same plan with another policy.
   *
   * @param other the policy, null to keep the plan's own
   * @return a changed copy, or this
   */
  public RetryPlan withPolicy(@Nullable RetryPolicy other) {
    return other == null || other.equals(policy)
        ? this
        : new RetryPlan(other, budget, guards, listeners, environment, surroundings);
  }

  /**
   * The same plan in another environment.
   *
   * @param other time, randomness, scheduler
   * @return a changed copy
   */
  public RetryPlan withEnvironment(RetryEnvironment other) {
    return new RetryPlan(policy, budget, guards, listeners, other, surroundings);
  }

  /**
   * The same plan for an operation that begins within a scope or a retrying layer.
   *
   * @param other what imposes on the operation, null for nothing
   * @return a changed copy, or this
   */
  public RetryPlan within(@Nullable Surroundings other) {
    return Objects.equals(other, surroundings)
        ? this
        : new RetryPlan(policy, budget, guards, listeners, environment, other);
  }

  /**
   * The policy.
   *
   * @return the policy
   */
  public RetryPolicy policy() {
    return policy;
  }

  /**
   * The budget.
   *
   * @return the budget
   */
  public RetryBudget budget() {
    return budget;
  }

  /**
   * Time, randomness and scheduler.
   *
   * @return the environment
   */
  public RetryEnvironment environment() {
    return environment;
  }

  /**
   * What imposes on the operation.
   *
   * @return null for nothing
   */
  public @Nullable Surroundings surroundings() {
    return surroundings;
  }

  List<Guard> guards() {
    return guards;
  }

  Listeners listeners() {
    return listeners;
  }
}
