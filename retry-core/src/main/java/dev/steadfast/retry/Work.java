package dev.steadfast.retry;

import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a {@link Retrier} knows of the work that it is given. Immutable. */
final class Work {
  /** The default: every result is for the caller. */
  static final Predicate<@Nullable Object> NO_RESULT = result -> false;

  private static final Null NULL = new Null();

  /** Stands for a result of null within the loop. */
  private record Null() {}

  private final RetryPlan plan;
  private final String name;
  private final OperationInfo info;
  private final Predicate<Throwable> retryExceptions;
  private final Predicate<@Nullable Object> retryResults;
  private final RetryingLayer layer;
  private final RetryBudget.Account account;
  private final boolean timed;
  private final boolean plain;
  private final boolean acceptsAll;

  Work(
      RetryPlan plan,
      String name,
      Predicate<Throwable> retryExceptions,
      Predicate<@Nullable Object> retryResults) {
    this.plan = plan;
    this.name = name;
    this.info = OperationInfo.of(name, name);
    this.retryExceptions = retryExceptions;
    this.retryResults = retryResults;
    this.layer = new RetryingLayer(plan.budget(), null);
    // For good: the table that it comes from may forget a retrier that is in use all the time.
    this.account = plan.budget().account(name);
    this.timed =
        plan.policy().totalTimeoutNanos() != Long.MAX_VALUE
            || !RetryBudget.unlimited().equals(plan.budget());
    this.plain = !plan.listeners().any() && plan.guards().isEmpty();
    this.acceptsAll = NO_RESULT.equals(retryResults);
  }

  RetryPlan plan() {
    return plan;
  }

  /** Identifies one operation, where somebody can tell it from another. */
  OperationInfo info() {
    return plain ? info : OperationInfo.of(name, name);
  }

  RetryBudget.Account account() {
    return account;
  }

  /** Whether nobody listens and nothing guards. */
  boolean plain() {
    return plain;
  }

  /** Whether anything needs the time: if not, the clock is not read. */
  boolean timed() {
    return timed;
  }

  boolean acceptsAll() {
    return acceptsAll;
  }

  RetryingLayer layer() {
    return layer;
  }

  RetryingLayer layer(@Nullable Surroundings outer) {
    return outer == null ? layer : new RetryingLayer(plan.budget(), outer);
  }

  /** Calls that the work makes through other retrying layers are one attempt each. */
  static <T> T within(RetryingLayer layer, Callable<T> work) throws Exception {
    Surroundings before = Surroundings.bind(layer);
    try {
      return work.call();
    } finally {
      Surroundings.bind(before);
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

  Verdict judgeResult(@Nullable Object result) {
    boolean again = retryResults.test(result instanceof Null ? null : result);
    return again ? Verdict.retryable(FailureKind.OTHER) : Verdict.accepted();
  }

  Verdict judgeFailure(Throwable failure) {
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

  static Exchange.Facts facts(@Nullable Throwable failure) {
    SendState state = failure == null ? SendState.ANSWERED : SendState.MAYBE_PROCESSED;
    return new Exchange.Facts(-1, state, 1, false);
  }
}
