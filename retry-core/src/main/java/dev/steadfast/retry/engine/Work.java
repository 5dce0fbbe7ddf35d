package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The description of the work that a {@code Retrier} is given. Immutable. */
public final class Work {
  private static final Null NULL = new Null();

  /** Stands for a result of null within the loop. */
  private record Null() {}

  private final RetryPlan plan;
  private final String name;
  private final OperationInfo info;
  private final Predicate<Throwable> retryExceptions;
  private final @Nullable Predicate<@Nullable Object> retryResults; // null: none
  private final RetryingLayer layer;
  private final RetryBudget.Account account;
  private final boolean timed;
  private final boolean plain;

  // Work that failed does not show what it did before.
  private static final Evidence RESULT = evidence(Disposition.ANSWERED);
  private static final Evidence FAILURE = evidence(Disposition.UNKNOWN);
  private static final Outcome ACCEPTED = new Outcome(Verdict.accepted(), RESULT);
  private static final Outcome REJECTED = new Outcome(Verdict.retryable(FailureKind.OTHER), RESULT);
  private static final Outcome FAILED = new Outcome(Verdict.retryable(FailureKind.OTHER), FAILURE);
  private static final Outcome TIMED_OUT =
      new Outcome(Verdict.retryable(FailureKind.TIMEOUT), FAILURE);

  private static Evidence evidence(Disposition disposition) {
    return Evidence.of(disposition, Evidence.Safety.UNSAFE, -1, 1);
  }

  /**
   * Work under a plan.
   *
   * @param plan policy, budget, guards, listeners and environment
   * @param name what is called, for logs and as the budget's origin
   * @param retryExceptions which exceptions are worth another attempt
   * @param retryResults which results are worth another attempt, null for none
   */
  public Work(
      RetryPlan plan,
      String name,
      Predicate<Throwable> retryExceptions,
      @Nullable Predicate<@Nullable Object> retryResults) {
    // The account is kept, because its table may forget a retrier that is still in use.
    this.plan = plan.withReplayable(Replayable.ALWAYS).withAccountOf(name);
    this.name = name;
    this.info = OperationInfo.of(name, name);
    this.retryExceptions = retryExceptions;
    this.retryResults = retryResults;
    this.layer = new RetryingLayer(plan.budget(), null);
    this.account = this.plan.account(name);
    this.timed =
        plan.nanos().total() != Long.MAX_VALUE || !RetryBudget.unlimited().equals(plan.budget());
    this.plain = !plan.listeners().any() && plan.guards().isEmpty();
  }

  /**
   * Calls until a result is accepted or retrying ends.
   *
   * @param callable called once per attempt, on the calling thread
   * @param <T> the result
   * @return the accepted result, or the last one when retrying ended
   * @throws Throwable what the last attempt threw, or what stands for the end of the operation
   */
  public <T> T call(Callable<? extends T> callable) throws Throwable {
    @Nullable Object[] slots = ThreadContext.slots();
    CallContext outer = ThreadContext.callContext(slots);
    if (outer == null && plain) {
      return callFirst(callable, slots);
    }
    WorkTransport transport = WorkTransport.of(this, callable, layer(outer));
    return unmask(loop(outer, transport).run(Long.MAX_VALUE));
  }

  /**
   * Calls until a result is accepted or retrying ends, without holding a thread.
   *
   * @param supplier begins the work; called once per attempt, first on the calling thread
   * @param <T> the result
   * @return a future of the outcome
   */
  public <T> CompletableFuture<T> callAsync(Supplier<? extends CompletionStage<T>> supplier) {
    CallContext outer = CallContext.current();
    WorkTransport transport = WorkTransport.of(this, supplier, layer(outer));
    return loop(outer, transport).start(Long.MAX_VALUE, Work::<T>unmask, UnaryOperator.identity());
  }

  private OperationLoop<Object> loop(@Nullable CallContext outer, WorkTransport transport) {
    return new OperationLoop<>(plan.withCallContext(outer), info(), transport);
  }

  /** Identifies one operation, where somebody can tell it from another. */
  private OperationInfo info() {
    return plain ? info : OperationInfo.of(name, name);
  }

  /**
   * Makes the first attempt without the loop, if there is no listener and no guard. If the result
   * is accepted, no object is made. Otherwise the loop continues.
   */
  @SuppressWarnings("NullAway") // work may return null, where its type allows it
  private <T> T callFirst(Callable<? extends T> callable, @Nullable Object[] slots)
      throws Throwable {
    long beganNanos = timed ? now() : 0;
    account.operationBegan(beganNanos);
    T result = null;
    Throwable failure = null;
    ThreadContext.callContext(slots, layer);
    try {
      result = callable.call();
    } catch (Throwable thrown) {
      failure = thrown;
    }
    ThreadContext.callContext(slots, null);
    Throwable broken = null;
    if (failure == null && retryResults == null) {
      try {
        account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, beganNanos);
        return result;
      } catch (Throwable thrown) {
        broken = thrown;
      }
    }
    OperationLoop<Object> loop =
        new OperationLoop<>(plan, info, WorkTransport.of(this, callable, layer));
    loop.operation().beginAfterFirstAttempt(timed ? beganNanos : now());
    Object response = failure == null ? mask(result) : null;
    AttemptRun<Object> first = AttemptRun.completed(loop, response, failure);
    if (broken != null) {
      loop.operation().acceptedAlready(mask(result));
      first.userCodeFailed(broken);
    }
    return unmask(loop.runAfter(first));
  }

  private long now() {
    return plan.environment().ticker().getAsLong();
  }

  private RetryingLayer layer(@Nullable CallContext outer) {
    return outer == null ? layer : new RetryingLayer(plan.budget(), outer);
  }

  /** Calls that the work makes through other retrying layers are one attempt each. */
  static <T> T within(RetryingLayer layer, Callable<T> work) throws Exception {
    CallContext before = CallContext.bind(layer);
    try {
      return work.call();
    } finally {
      CallContext.bind(before);
    }
  }

  static Object mask(@Nullable Object result) {
    return result == null ? NULL : result;
  }

  // The result came from work of that very type.
  @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"})
  static <T> T unmask(Object result) {
    return result instanceof Null ? null : (T) result;
  }

  Outcome outcomeOfResult(Object result) {
    boolean again =
        retryResults != null && retryResults.test(result instanceof Null ? null : result);
    return again ? REJECTED : ACCEPTED;
  }

  Outcome outcomeOfFailure(Throwable failure) {
    if (failure instanceof InterruptedException) {
      return new Outcome(Verdict.permanent(StopReason.INTERRUPTED), FAILURE);
    }
    if (failure instanceof CancellationException) {
      return new Outcome(Verdict.permanent(StopReason.CANCELLED), FAILURE);
    }
    boolean timedOut = failure instanceof TimeoutException;
    if (failure instanceof Exception && retryExceptions.test(failure)) {
      return timedOut ? TIMED_OUT : FAILED;
    }
    FailureKind kind = timedOut ? FailureKind.TIMEOUT : FailureKind.OTHER;
    return new Outcome(
        new Verdict.Permanent(StopReason.NOT_RETRYABLE, kind, ServerDelay.none()), FAILURE);
  }

  /** The evidence of work that did not end by itself. */
  static Evidence unknown() {
    return FAILURE;
  }
}
