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

  // Work that failed does not show what it did before.
  private static final Evidence RESULT = evidence(Disposition.ANSWERED);
  private static final Evidence FAILURE = evidence(Disposition.UNKNOWN);
  private static final Outcome ACCEPTED = new Outcome(Verdict.accepted(), RESULT);
  private static final Outcome REJECTED = new Outcome(Verdict.retryable(FailureKind.OTHER), RESULT);
  private static final Outcome FAILED = new Outcome(Verdict.retryable(FailureKind.OTHER), FAILURE);
  private static final Outcome TIMED_OUT =
      new Outcome(Verdict.retryable(FailureKind.TIMEOUT), FAILURE);

  private static Evidence evidence(Disposition disposition) {
    return Evidence.of(Evidence.Requests.of(disposition, Evidence.Safety.UNSAFE), -1, 1);
  }

  Work(
      RetryPlan plan,
      String name,
      Predicate<Throwable> retryExceptions,
      Predicate<@Nullable Object> retryResults) {
    // One account for good: the table that it comes from may forget a retrier that is in use.
    this.plan = plan.withReplayable(true).withAccountOf(name);
    this.name = name;
    this.info = OperationInfo.of(name, name);
    this.retryExceptions = retryExceptions;
    this.retryResults = retryResults;
    this.layer = new RetryingLayer(plan.budget(), null);
    this.account = this.plan.account(name);
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

  /** Whether nobody listens and nothing guards. */
  boolean plain() {
    return plain;
  }

  /**
   * Makes the first attempt without the loop, where nobody listens and nothing guards: if it is
   * accepted, no object is made. Otherwise the loop goes on.
   */
  @SuppressWarnings("NullAway") // work may return null, where its type allows it
  <T> T call(Callable<? extends T> callable, @Nullable Object[] slots) throws Throwable {
    long beganNanos = timed ? now() : 0;
    account.operationBegan(beganNanos);
    T result = null;
    Throwable failure = null;
    Bound.surroundings(slots, layer);
    try {
      result = callable.call();
    } catch (Throwable thrown) {
      failure = thrown;
    }
    Bound.surroundings(slots, null);
    Throwable broken = null;
    if (failure == null && acceptsAll) {
      try {
        account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, beganNanos);
        return result;
      } catch (Throwable thrown) {
        broken = thrown;
      }
    }
    RetryLoop<Object> loop = new RetryLoop<>(plan, info, WorkExchange.of(this, callable, layer));
    long began = timed ? beganNanos : now();
    if (broken != null) {
      return unmask(loop.endAfterFirstAttempt(began, mask(result), broken));
    }
    Object first = failure == null ? mask(result) : null;
    return unmask(loop.runAfterFirstAttempt(began, first, failure));
  }

  private long now() {
    return plan.environment().ticker().getAsLong();
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

  Outcome outcomeOfResult(Object result) {
    boolean again = retryResults.test(result instanceof Null ? null : result);
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
    return new Outcome(new Verdict.Permanent(StopReason.NOT_RETRYABLE, kind, Hint.none()), FAILURE);
  }

  /** What is known of work that did not end by itself. */
  static Evidence unknown() {
    return FAILURE;
  }
}
