package dev.steadfast.retry.engine;

import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.threads.TimerScheduler;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all operations of a client have in common, resolved once: policy, budget, guards,
 * listeners, environment. Immutable; users meet it only behind a client's configuration.
 */
public final class RetryPlan {
  private final Parts parts;

  private RetryPlan(Parts parts) {
    this.parts = parts;
  }

  /** The parts of a plan. They change only before it is made. */
  private static final class Parts {
    private PolicyNanos nanos;
    private final RetryBudget budget;
    private RetryBudget.@Nullable Account account; // null: that of the operation's origin
    private List<Guard> guards = List.of();
    private Listeners listeners;
    private RetryEnvironment environment;
    private @Nullable CallContext callContext;
    private RepeatPermission word = RepeatPermission.NONE;
    private boolean optional;
    private @Nullable ContextCapture context;

    Parts(PolicyNanos nanos, RetryBudget budget, RetryEnvironment environment) {
      this.nanos = nanos;
      this.budget = Checks.notNull("budget", budget);
      this.environment = Checks.notNull("environment", environment);
      this.listeners = new Listeners(List.of());
    }

    Parts(Parts other) {
      this.nanos = other.nanos;
      this.budget = other.budget;
      this.environment = other.environment;
      this.account = other.account;
      this.guards = other.guards;
      this.listeners = other.listeners;
      this.callContext = other.callContext;
      this.word = other.word;
      this.optional = other.optional;
      this.context = other.context;
    }
  }

  private RetryPlan with(Consumer<Parts> change) {
    Parts changed = new Parts(parts);
    change.accept(changed);
    return new RetryPlan(changed);
  }

  /**
   * A plan without guards and listeners. A policy that contradicts itself is warned of.
   *
   * @param policy the policy
   * @param budget the budget
   * @param environment time, randomness, scheduler
   * @return a plan
   */
  public static RetryPlan of(RetryPolicy policy, RetryBudget budget, RetryEnvironment environment) {
    PolicyNanos nanos = new PolicyNanos(Checks.notNull("policy", policy));
    PolicyCheck.warn(policy);
    return new RetryPlan(new Parts(nanos, budget, environment));
  }

  /**
   * The same plan with guards, in the order in which an attempt passes them.
   *
   * @param guards breakers and bulkheads
   * @return a changed copy
   */
  public RetryPlan withGuards(List<Guard> guards) {
    return with(parts -> parts.guards = List.copyOf(guards));
  }

  /**
   * The same plan with listeners.
   *
   * @param listeners told about every step, in this order
   * @return a changed copy
   */
  public RetryPlan withListeners(List<RetryListener> listeners) {
    return with(parts -> parts.listeners = new Listeners(listeners));
  }

  /**
   * The same plan with another policy.
   *
   * @param other the policy, null to keep the plan's own
   * @return a changed copy, or this
   */
  public RetryPlan withPolicy(@Nullable RetryPolicy other) {
    return other == null || other.equals(policy())
        ? this
        : with(parts -> parts.nanos = new PolicyNanos(other));
  }

  /**
   * The same plan in another environment.
   *
   * @param other time, randomness, scheduler
   * @return a changed copy
   */
  public RetryPlan withEnvironment(RetryEnvironment other) {
    return with(parts -> parts.environment = other);
  }

  /**
   * The same plan for an operation that begins within a scope or a retrying layer.
   *
   * @param other the limits on the operation, null for none
   * @return a changed copy, or this
   */
  public RetryPlan withCallContext(@Nullable CallContext other) {
    return Objects.equals(other, parts.callContext)
        ? this
        : with(parts -> parts.callContext = other);
  }

  /**
   * The same plan with the caller's word on whether an operation may be repeated, as often as the
   * policy allows.
   *
   * @param replayable what the caller says
   * @return a changed copy, or this
   */
  public RetryPlan withReplayable(Replayable replayable) {
    return withReplayable(replayable, Integer.MAX_VALUE);
  }

  /**
   * The same plan with the caller's word on whether an operation may be repeated, and how often.
   *
   * @param replayable what the caller says
   * @param paidRepeats how many attempts may follow those that may have been processed, where
   *     nothing but this word makes that safe; 0 or more
   * @return a changed copy, or this
   */
  public RetryPlan withReplayable(Replayable replayable, int paidRepeats) {
    int counted = replayable == Replayable.ALWAYS ? paidRepeats : Integer.MAX_VALUE;
    return replayable == parts.word.replayable() && counted == parts.word.paidRepeats()
        ? this
        : with(parts -> parts.word = new RepeatPermission(replayable, counted));
  }

  /**
   * The same plan for an operation on which the inbound request does not depend.
   *
   * @param word true if layers above are not to be told that it gave up
   * @return a changed copy, or this
   */
  public RetryPlan withOptional(boolean word) {
    return word == parts.optional ? this : with(parts -> parts.optional = word);
  }

  /**
   * The same plan with what carries the caller's context to other threads.
   *
   * @param capture null for the context class loader alone
   * @return a changed copy
   */
  public RetryPlan withContext(@Nullable ContextCapture capture) {
    return with(parts -> parts.context = capture);
  }

  /** The same plan with one account for all operations, taken from the budget once. */
  RetryPlan withAccountOf(String origin) {
    return with(parts -> parts.account = this.parts.budget.account(origin));
  }

  /** {@return the policy} */
  public RetryPolicy policy() {
    return parts.nanos.policy();
  }

  /**
   * {@return whether the policy bounds the first attempt by a time of its own, beside the total
   * timeout and the client's own; for authors of adapters}
   */
  public boolean boundsAttempts() {
    return policy().attemptTimeout(1).isPresent();
  }

  /**
   * {@return the policy's bound on the time in which no byte of a body moves, in nanoseconds,
   * {@link Long#MAX_VALUE} for none; for authors of adapters}
   */
  public long bodyIdleTimeoutNanos() {
    return parts.nanos.bodyIdle();
  }

  /**
   * {@return whether the total timeout ends an operation no later than a silent body does; for
   * authors of adapters} Then a body that the total timeout bounds need not be watched.
   */
  public boolean endsBeforeIdleTimeout() {
    return parts.nanos.total() <= parts.nanos.bodyIdle();
  }

  /** {@return the budget} */
  public RetryBudget budget() {
    return parts.budget;
  }

  PolicyNanos nanos() {
    return parts.nanos;
  }

  /**
   * The account that pays for the retries of an operation. The budget of a layer above hears of an
   * operation within it from there alone; that one makes no retries but those that are free.
   */
  RetryBudget.Account account(String origin) {
    CallContext around = parts.callContext;
    if (around != null && around.funds(parts.budget)) {
      return RetryBudget.unlimited().account(origin);
    }
    return parts.account == null ? parts.budget.account(origin) : parts.account;
  }

  /**
   * Tells the listeners that attempts avoid a connection, or take it again.
   *
   * @param info the operation that found it out
   * @param event what is new
   */
  public void tellPath(OperationInfo info, PathEvent event) {
    parts.listeners.pathChanged(info, event);
  }

  /**
   * {@return the capture that carries the caller's context to other threads, null for nothing
   * beside the context class loader}
   */
  public @Nullable ContextCapture context() {
    return parts.context;
  }

  /** {@return the caller's word on whether an operation may be repeated} */
  public Replayable replayable() {
    return parts.word.replayable();
  }

  RepeatPermission word() {
    return parts.word;
  }

  boolean optional() {
    return parts.optional;
  }

  /** Whether more than one attempt may be made that counts. */
  boolean allowsRetries() {
    return policy().maxAttempts() > 1
        && (parts.callContext == null || !parts.callContext.doNotRetry());
  }

  /** {@return time, randomness and scheduler} */
  public RetryEnvironment environment() {
    return parts.environment;
  }

  /**
   * A timer for what ends an attempt or an operation. It is the library's own, and no code of the
   * user's can make it late; in virtual time it is a task of the scheduler.
   *
   * @param nanos the time until it is due
   * @param task short; it never blocks, and calls no code of the user's but the ticker. If it
   *     throws an {@link OutOfMemoryError}, it is run again a little later
   * @return a handle that cancels the task
   * @throws java.util.concurrent.RejectedExecutionException if no thread can be started for it
   */
  public RetryScheduler.Task settle(long nanos, Runnable task) {
    RetryScheduler timers = timers();
    // A ticker of the user's may block, and so must not be read on the thread of all timers.
    boolean ownTicker = parts.environment.ticker().equals(RetryEnvironment.system().ticker());
    return ownTicker && timers instanceof TimerScheduler own
        ? own.settle(nanos, task)
        : timers.schedule(nanos, task);
  }

  /**
   * {@return the scheduler for timers of the library's own that may run code of the user's: never
   * the one that the user has given, unless time is virtual; for authors of adapters}
   */
  public RetryScheduler timers() {
    RetryScheduler scheduler = parts.environment.scheduler();
    return scheduler.isVirtual() ? scheduler : threads();
  }

  /** The library's own threads. */
  TimerScheduler threads() {
    return parts.environment.scheduler() instanceof TimerScheduler own
        ? own.onOwnThreads()
        : TimerScheduler.system();
  }

  /**
   * {@return the context that an operation with this plan imposes on those within: it retries, so
   * they do not} It lies within {@link #callContext}.
   */
  public CallContext asLayer() {
    return new RetryingLayer(parts.budget, parts.callContext);
  }

  /** {@return the context that imposes on the operation, null for nothing} */
  public @Nullable CallContext callContext() {
    return parts.callContext;
  }

  /**
   * Warns of a likely mistake of the user, once for these listeners.
   *
   * @param advice what to warn of
   * @param operation the operation that shows it, for its label
   */
  public void advise(Advice advice, Object operation) {
    parts.listeners.advise(advice, operation);
  }

  /**
   * Whether a warning about a likely mistake has been given.
   *
   * @param advice what to warn of
   * @return true if {@link #advise} would do nothing
   */
  public boolean advised(Advice advice) {
    return parts.listeners.advised(advice);
  }

  /**
   * Refuses a guard such as an adaptive limit if nothing ends an attempt: a few that never end
   * would hold its places for good. Adapters ask when a client is wrapped.
   *
   * @param byClient whether the client itself ends an attempt that gets no answer
   * @param byTotalTimeout whether the total timeout, if there is one, ends every attempt: it does
   *     not run while a request body is sent
   * @throws IllegalArgumentException if there is such a guard, and neither the client nor the
   *     policy has such a timeout
   */
  public void requireEndOfAttempts(boolean byClient, boolean byTotalTimeout) {
    boolean byTotal = byTotalTimeout && parts.nanos.total() != Long.MAX_VALUE;
    boolean byPolicy = byTotal || parts.nanos.attempt(1) != Long.MAX_VALUE;
    if (!byClient && !byPolicy && parts.guards.stream().anyMatch(Guard::requiresAttemptTimeout)) {
      throw Checks.bad(
          "attemptTimeout", "none", "a timeout: attempts that never end fill an adaptive limit");
    }
  }

  List<Guard> guards() {
    return parts.guards;
  }

  Listeners listeners() {
    return parts.listeners;
  }
}
