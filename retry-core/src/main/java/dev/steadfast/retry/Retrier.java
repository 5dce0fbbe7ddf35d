package dev.steadfast.retry;

import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.engine.Work;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Contexts;
import dev.steadfast.retry.internal.DefaultBudgetCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Retries any work, by the same engine that retries HTTP calls. Immutable and safe for use by many
 * threads.
 *
 * <p>Work that is handed to a retrier must do no harm when it is repeated: unlike an HTTP request,
 * work does not show whether it is idempotent.
 *
 * <p>Calls that the work makes through a client or retrier of this library are single attempts
 * where they begin on the thread that runs the work: one layer retries, the outer one, and a budget
 * that both share is charged once.
 *
 * <pre>{@code
 * Retrier retrier = Retrier.builder().policy(policy).name("orders-db").build();
 * Order order = retrier.call(() -> repository.load(id));
 * }</pre>
 */
public final class Retrier {
  private final Work work;

  private Retrier(Builder builder) {
    RetryPlan plan =
        RetryPlan.of(builder.policy, builder.budget(), builder.environment)
            .withGuards(builder.guards)
            .withListeners(builder.listeners)
            .withContext(builder.context);
    plan.requireEndOfAttempts(false, true);
    this.work = new Work(plan, builder.name, builder.retryExceptions, builder.retryResults);
  }

  /**
   * {@return a builder that starts with the default policy, a budget of one retry per ten
   * successes, and every exception retried}
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Calls until a result is accepted or retrying ends. The policy's timeouts end waits and keep
   * further attempts from starting; they do not interrupt work that is running on the calling
   * thread. An interrupt ends the operation at once.
   *
   * <p>If there is no total timeout, listener or guard, and the budget is unlimited, no clock is
   * read before the first attempt has failed. Then the durations in the report of a failed
   * operation begin with the end of its first attempt.
   *
   * @param callable the work; called once per attempt, on the calling thread
   * @param <T> the result
   * @return the accepted result, or the last one when retrying ended
   * @throws Exception the last exception of the work, unchanged except for a suppressed {@link
   *     RetryTrace}; {@link InterruptedException} if interrupted during a wait; {@link
   *     java.util.concurrent.TimeoutException} if the deadline passed before an attempt could
   *     start; {@link java.util.concurrent.RejectedExecutionException} if the scheduler takes no
   *     more work; {@link AttemptRefusedException} if a guard refused
   */
  public <T> T call(Callable<? extends T> callable) throws Exception {
    Checks.notNull("work", callable);
    try {
      return work.call(callable);
    } catch (Exception | Error thrown) {
      throw thrown;
    } catch (Throwable thrown) {
      throw new ExecutionException(thrown);
    }
  }

  /**
   * Calls until a result is accepted or retrying ends, without holding a thread.
   *
   * <p>An attempt that exceeds its timeout is cancelled, if its stage is a future, and counts as
   * failed with a {@link java.util.concurrent.TimeoutException}. Cancelling the returned future, or
   * one derived from it, ends the operation at once.
   *
   * @param supplier begins the work; called once per attempt, first on the calling thread, then
   *     wherever the scheduler runs its tasks
   * @param <T> the result
   * @return a future of the outcome; it fails with what {@link #call} would throw
   */
  public <T> CompletableFuture<T> callAsync(Supplier<? extends CompletionStage<T>> supplier) {
    Checks.notNull("work", supplier);
    return work.callAsync(supplier);
  }

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    private RetryPolicy policy = RetryPolicy.defaults();
    private @Nullable RetryBudget budget; // null: the default, made by the first build
    private RetryEnvironment environment = RetryEnvironment.system();
    private String name = "work";
    private final List<Guard> guards = new ArrayList<>();
    private final List<RetryListener> listeners = new ArrayList<>();
    private @Nullable ContextCapture context;
    private Predicate<Throwable> retryExceptions = failure -> true;
    private @Nullable Predicate<@Nullable Object> retryResults; // null: none

    private Builder() {}

    /**
     * How often and how long. Default: {@link RetryPolicy#defaults()}.
     *
     * @param policy the policy
     * @return this
     */
    public Builder policy(RetryPolicy policy) {
      this.policy = Checks.notNull("policy", policy);
      return this;
    }

    /**
     * The budget that pays for retries. Default: one retry per ten successes, for this retrier
     * alone. So build a retrier once: if many are built within a minute, a warning says so.
     *
     * @param budget the budget; share one object between retriers to give them one budget
     * @return this
     */
    public Builder budget(RetryBudget budget) {
      this.budget = Checks.notNull("budget", budget);
      return this;
    }

    /**
     * The name of the work, for logs and as the budget's origin. Default: {@code work}.
     *
     * @param name not empty
     * @return this
     * @throws IllegalArgumentException if the name is empty
     */
    public Builder name(String name) {
      this.name = Checks.notBlank("name", name);
      return this;
    }

    /**
     * Adds a guard that each attempt passes. Default: none.
     *
     * @param guard a breaker or bulkhead
     * @return this
     */
    public Builder guard(Guard guard) {
      guards.add(Checks.notNull("guard", guard));
      return this;
    }

    /**
     * Adds a listener. Default: none. One that is added twice is told once.
     *
     * @param listener told about every step
     * @return this
     */
    public Builder listener(RetryListener listener) {
      listeners.add(Checks.notNull("listener", listener));
      return this;
    }

    /**
     * Adds a context of the caller's that is carried to the threads on which {@link
     * Retrier#callAsync} goes on. Default: the context class loader and nothing else.
     *
     * @param capture takes the context when an operation begins
     * @return this
     */
    public Builder context(ContextCapture capture) {
      context = Contexts.both(context, Checks.notNull("context", capture));
      return this;
    }

    /**
     * Time, randomness and scheduler. Default: the system's.
     *
     * @param environment the environment
     * @return this
     */
    public Builder environment(RetryEnvironment environment) {
      this.environment = Checks.notNull("environment", environment);
      return this;
    }

    /**
     * Which exceptions are worth another attempt. Default: every {@link Exception} except {@link
     * InterruptedException} and {@link CancellationException}. These two and every {@link Error}
     * are never retried. If the predicate throws, the operation ends.
     *
     * @param retryExceptions safe for use by many threads
     * @return this
     */
    public Builder retryExceptions(Predicate<Throwable> retryExceptions) {
      this.retryExceptions = Checks.notNull("retryExceptions", retryExceptions);
      return this;
    }

    /**
     * Which results are worth another attempt. Default: none. An exception of the predicate ends
     * the operation.
     *
     * @param retryResults gets each result, null included; safe for use by many threads
     * @return this
     */
    public Builder retryResults(Predicate<@Nullable Object> retryResults) {
      this.retryResults = Checks.notNull("retryResults", retryResults);
      return this;
    }

    /**
     * The retrier.
     *
     * @return an immutable retrier
     * @throws IllegalArgumentException if a guard is an {@link
     *     dev.steadfast.retry.limit.AdaptiveLimit} and the policy has no timeout
     */
    public Retrier build() {
      return new Retrier(this);
    }

    private RetryBudget budget() {
      RetryBudget chosen = budget;
      if (chosen == null) {
        chosen = RetryBudget.perOrigin(0.1);
        budget = chosen;
        DefaultBudgetCounter.all().built("Retrier.builder()", environment.ticker());
      }
      return chosen;
    }
  }
}
