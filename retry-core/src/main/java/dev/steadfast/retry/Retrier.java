package dev.steadfast.retry;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Retries any work, by the same machine that retries HTTP calls. Immutable and safe for use by many
 * threads.
 *
 * <p>Whoever hands work to a retrier says that repeating it does no harm: unlike an HTTP request,
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
  private static final Null NULL = new Null();

  /** Stands for a result of null within the loop. */
  private record Null() {}

  private final RetryPlan plan;
  private final String name;
  private final Predicate<Throwable> retryExceptions;
  private final Predicate<@Nullable Object> retryResults;
  private final RetryingLayer layer;

  private Retrier(Builder builder) {
    this.plan =
        RetryPlan.of(builder.policy, builder.budget, builder.environment)
            .withGuards(builder.guards)
            .withListeners(builder.listeners);
    this.name = builder.name;
    this.retryExceptions = builder.retryExceptions;
    this.retryResults = builder.retryResults;
    this.layer = new RetryingLayer(builder.budget, null);
  }

  /**
   * Starts with the default policy, a budget of one retry per ten successes, and every exception
   * retried.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Calls until a result is accepted or retrying ends. The policy's timeouts end waits and keep
   * further attempts from starting; they do not interrupt work that is running on the calling
   * thread. An interrupt ends the operation at once.
   *
   * @param work what to do; called once per attempt, on the calling thread
   * @param <T> the result
   * @return the accepted result, or the last one when retrying ended
   * @throws Exception the last exception of the work, unchanged but for a suppressed {@link
   *     RetryTrace}; {@link InterruptedException} if interrupted during a wait; {@link
   *     java.util.concurrent.TimeoutException} if the deadline passed before an attempt could
   *     start; {@link java.util.concurrent.RejectedExecutionException} if the scheduler takes no
   *     more work; {@link AttemptRefusedException} if a guard refused
   */
  public <T> T call(Callable<? extends T> work) throws Exception {
    Checks.notNull("work", work);
    OperationInfo info = OperationInfo.of(name, name);
    Surroundings outer = Surroundings.current();
    SyncExchange exchange = new SyncExchange(work, info, layer(outer));
    RetryLoop<Object> loop = new RetryLoop<>(plan.within(outer), info, exchange);
    try {
      return unmask(loop.run(Long.MAX_VALUE));
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
   * @param work what to do; called once per attempt, first on the calling thread, then wherever the
   *     scheduler runs its tasks
   * @param <T> the result
   * @return a future of the outcome; it fails with what {@link #call} would throw
   */
  public <T> CompletableFuture<T> callAsync(Supplier<? extends CompletionStage<T>> work) {
    Checks.notNull("work", work);
    OperationInfo info = OperationInfo.of(name, name);
    Surroundings outer = Surroundings.current();
    return new RetryLoop<>(plan.within(outer), info, new AsyncExchange(work, info, layer(outer)))
        .start(Long.MAX_VALUE, Retrier::<T>unmask);
  }

  private RetryingLayer layer(@Nullable Surroundings outer) {
    return outer == null ? layer : new RetryingLayer(layer.budget(), outer);
  }

  private static <T> T within(RetryingLayer layer, Callable<T> work) throws Exception {
    Surroundings before = Surroundings.bind(layer);
    try {
      return work.call();
    } finally {
      Surroundings.bind(before);
    }
  }

  private static Object mask(@Nullable Object result) {
    return result == null ? NULL : result;
  }

  // The result came from work of that very type.
  @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unmask(Object result) {
    return result instanceof Null ? null : (T) result;
  }

  private Verdict judgeResult(Object result) {
    boolean again = retryResults.test(result instanceof Null ? null : result);
    return again ? Verdict.retryable(FailureKind.OTHER) : Verdict.accepted();
  }

  private Verdict judgeFailure(Throwable failure) {
    if (failure instanceof InterruptedException) {
      return Verdict.permanent(StopReason.INTERRUPTED);
    }
    if (failure instanceof CancellationException) {
      return Verdict.permanent(StopReason.CANCELLED);
    }
    FailureKind kind =
        failure instanceof TimeoutException ? FailureKind.TIMEOUT : FailureKind.OTHER;
    boolean again = failure instanceof Exception && retryExceptions.test(failure);
    return again
        ? Verdict.retryable(kind)
        : new Verdict.Permanent(StopReason.NOT_RETRYABLE, kind, Hint.none());
  }

  private static Exchange.Facts factsOfACall(@Nullable Throwable failure) {
    SendState state = failure == null ? SendState.ANSWERED : SendState.MAYBE_PROCESSED;
    return new Exchange.Facts(-1, state, 1, false);
  }

  /** Work on the calling thread. */
  private final class SyncExchange implements Exchange<Object> {
    private final Callable<?> work;
    private final OperationInfo info;
    private final RetryingLayer layer;

    SyncExchange(Callable<?> work, OperationInfo info, RetryingLayer layer) {
      this.work = work;
      this.info = info;
      this.layer = layer;
    }

    @Override
    public void start(Attempt<Object> attempt) throws Exception {
      if (attempt.begin(info)) {
        attempt.complete(mask(within(layer, work)), null);
      }
    }

    @Override
    public boolean boundsAttempts() {
      return true;
    }

    @Override
    public Verdict judge(Object result) {
      return judgeResult(result);
    }

    @Override
    public Verdict judge(Throwable failure) {
      return judgeFailure(failure);
    }

    @Override
    public Facts facts(@Nullable Object result, @Nullable Throwable failure) {
      return factsOfACall(failure);
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return CallEnds.failure(end, cause);
    }
  }

  /** Work that completes a stage. */
  private final class AsyncExchange implements Exchange<Object> {
    private final Supplier<? extends CompletionStage<?>> work;
    private final OperationInfo info;
    private final RetryingLayer layer;

    AsyncExchange(
        Supplier<? extends CompletionStage<?>> work, OperationInfo info, RetryingLayer layer) {
      this.work = work;
      this.info = info;
      this.layer = layer;
    }

    @Override
    public void start(Attempt<Object> attempt) throws Exception {
      if (!attempt.begin(info)) {
        return;
      }
      CompletionStage<?> stage =
          Checks.notNull("the stage that the work returned", within(layer, work::get));
      attempt.onCancel(() -> cancel(stage));
      stage.whenComplete((result, failure) -> {
        if (failure == null) {
          attempt.complete(mask(result), null);
        } else {
          attempt.complete(null, unwrap(failure));
        }
      });
    }

    private static void cancel(CompletionStage<?> stage) {
      if (stage instanceof CompletableFuture<?> future) {
        try {
          future.cancel(true);
        } catch (UnsupportedOperationException readOnly) {
          // A view such as minimalCompletionStage() cannot be stopped; its result comes too late.
        }
      }
    }

    private static Throwable unwrap(Throwable failure) {
      Throwable cause = failure.getCause();
      return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    @Override
    public Verdict judge(Object result) {
      return judgeResult(result);
    }

    @Override
    public Verdict judge(Throwable failure) {
      return judgeFailure(failure);
    }

    @Override
    public Facts facts(@Nullable Object result, @Nullable Throwable failure) {
      return factsOfACall(failure);
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return CallEnds.failure(end, cause);
    }

    @Override
    public void execute(Runnable continuation) {
      new CompletableFuture<Void>().defaultExecutor().execute(continuation);
    }
  }

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    private RetryPolicy policy = RetryPolicy.defaults();
    private RetryBudget budget = RetryBudget.perOrigin(0.1);
    private RetryEnvironment environment = RetryEnvironment.system();
    private String name = "work";
    private final List<Guard> guards = new ArrayList<>();
    private final List<RetryListener> listeners = new ArrayList<>();
    private Predicate<Throwable> retryExceptions = failure -> true;
    private Predicate<@Nullable Object> retryResults = result -> false;

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
     * What pays for retries. Default: one retry per ten successes, for this retrier alone.
     *
     * @param budget the budget; share one object between retriers to give them one budget
     * @return this
     */
    public Builder budget(RetryBudget budget) {
      this.budget = Checks.notNull("budget", budget);
      return this;
    }

    /**
     * What is called, for logs and as the budget's origin. Default: {@code work}.
     *
     * @param name not empty
     * @return this
     * @throws IllegalArgumentException if the name is empty
     */
    public Builder name(String name) {
      if (Checks.notNull("name", name).isBlank()) {
        throw Checks.bad("name", "\"" + name + "\"", "not empty");
      }
      this.name = name;
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
     * Adds a listener. Default: none.
     *
     * @param listener told about every step
     * @return this
     */
    public Builder listener(RetryListener listener) {
      listeners.add(Checks.notNull("listener", listener));
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
     * Which exceptions are worth another attempt. Default: every {@link Exception} but {@link
     * InterruptedException} and {@link CancellationException}, which never are; nor is an {@link
     * Error}. What the predicate throws ends the operation.
     *
     * @param retryExceptions safe for use by many threads
     * @return this
     */
    public Builder retryExceptions(Predicate<Throwable> retryExceptions) {
      this.retryExceptions = Checks.notNull("retryExceptions", retryExceptions);
      return this;
    }

    /**
     * Which results are worth another attempt. Default: none. What the predicate throws ends the
     * operation.
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
     */
    public Retrier build() {
      return new Retrier(this);
    }
  }
}
