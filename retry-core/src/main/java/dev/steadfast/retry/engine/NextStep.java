package dev.steadfast.retry.engine;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryTrace;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.CleanReport;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides the step after an attempt that has ended: another attempt after a wait, or the end of the
 * operation. The attempt keeps the result for the caller at the end. If the attempts do not tell
 * the result, this class makes it.
 */
final class NextStep {
  private NextStep() {}

  /**
   * Decides.
   *
   * @param operation the operation
   * @param attempt the attempt
   * @param cancelReason why the operation was cancelled, null if it was not
   */
  static <R> RetryDecision next(
      Operation<R> operation, AttemptRun<R> attempt, @Nullable StopReason cancelReason) {
    Throwable userFailure = attempt.userFailure();
    if (interruptedCaller(attempt)) {
      return interrupted(operation, attempt, userFailure);
    }
    if (userFailure != null) {
      return userCodeFailed(operation, attempt, userFailure);
    }
    return switch (attempt.phase()) {
      case CANCELLED -> cancelled(operation, attempt, cancelReason);
      case TIMED_OUT -> timedOut(operation, attempt);
      case REFUSED -> refused(operation, attempt);
      case PUT_OFF -> operation.putOff(Objects.requireNonNull(attempt.decisionOnHead()));
      case REJECTED ->
          outside(operation, attempt, StopReason.REJECTED, rejected(operation, attempt.failure()));
      default -> completed(operation, attempt);
    };
  }

  /** Whether the client threw because the calling thread was interrupted. */
  private static boolean interruptedCaller(AttemptRun<?> attempt) {
    return attempt.blocking()
        && attempt.phase() == Phase.COMPLETED
        && attempt.failure() instanceof InterruptedException;
  }

  /** The interrupt ends the operation, whatever a head or a function of the user's says. */
  private static <R> RetryDecision interrupted(
      Operation<R> operation, AttemptRun<R> attempt, @Nullable Throwable userFailure) {
    Throwable interrupted = Objects.requireNonNull(attempt.failure());
    if (userFailure != null) {
      SuppressedExceptions.add(interrupted, userFailure);
    }
    return outside(operation, attempt, StopReason.INTERRUPTED, interrupted);
  }

  private static <R> RetryDecision completed(Operation<R> operation, AttemptRun<R> attempt) {
    RetryDecision atHead = attempt.decisionOnHead();
    return atHead == null
        ? judged(operation, attempt, attempt.response(), attempt.failure())
        : atHead;
  }

  private static <R> RetryDecision judged(
      Operation<R> operation,
      AttemptRun<R> attempt,
      @Nullable R response,
      @Nullable Throwable thrown) {
    attempt.endedWith(response, thrown);
    RetryDecision decision;
    try {
      if (response != null && !operation.record().attemptRuns()) {
        // The response came without an attempt, so it says nothing about the server.
        return operation.state().abandon(StopReason.ACCEPTED, operation.now());
      }
      Outcome outcome = outcome(operation, attempt, response, thrown);
      boolean timedOut =
          attempt.phase() == Phase.TIMED_OUT || outcome.verdict().kind() == FailureKind.TIMEOUT;
      if (thrown != null && timedOut) {
        operation.record().endedBy(attempt.timeUp());
      }
      if (!operation.record().attemptRuns() && thrown != null) {
        // The attempt did not begin, so there is nothing to retry. An executor refused, for
        // example.
        return outside(operation, attempt, stopReason(outcome.verdict()), thrown);
      }
      decision = operation.decide(outcome, response, thrown);
    } catch (Throwable broken) {
      if (thrown != null) {
        SuppressedExceptions.add(broken, thrown); // what the attempt itself ended with
      }
      return userCodeFailed(operation, attempt, broken);
    }
    if (decision instanceof RetryDecision.Retry && response != null) {
      operation.transport().discard(response);
      attempt.endedWith(null, null);
    }
    return decision;
  }

  private static <R> Outcome outcome(
      Operation<R> operation,
      AttemptRun<R> attempt,
      @Nullable R response,
      @Nullable Throwable thrown) {
    if (thrown != null) {
      return operation.transport().outcome(thrown);
    }
    Outcome atHead = attempt.outcomeOfHead();
    return atHead != null ? atHead : operation.transport().outcome(present(operation, response));
  }

  private static StopReason stopReason(Verdict verdict) {
    return verdict instanceof Verdict.Permanent permanent
        ? permanent.reason()
        : StopReason.NOT_RETRYABLE;
  }

  private static <R> RetryDecision timedOut(Operation<R> operation, AttemptRun<R> attempt) {
    TimeUp limit = attempt.timeUp();
    if (operation.remainingNanos() == 0) {
      if (operation.record().attemptRuns() && limit != null) {
        operation.record().endedBy(limit);
      }
      Throwable deadline =
          limit == null ? deadline(operation) : operation.transport().timedOut(limit);
      return outside(operation, attempt, StopReason.DEADLINE, deadline);
    }
    Throwable timeout =
        limit == null
            ? operation.transport().failure(RetryTransport.End.ATTEMPT_TIMEOUT, null)
            : operation.transport().timedOut(limit);
    RetryDecision atHead = attempt.decisionOnHead();
    if (atHead == null) {
      return judged(operation, attempt, null, timeout);
    }
    attempt.endedWith(null, timeout); // the body stalled; what follows was decided before
    return atHead;
  }

  private static <R> RetryDecision refused(Operation<R> operation, AttemptRun<R> attempt) {
    RetryDecision.Retry wait;
    try {
      wait = operation.readmission();
    } catch (Throwable broken) {
      return userCodeFailed(operation, attempt, broken);
    }
    return wait != null
        ? wait
        : outside(
            operation, attempt, StopReason.GUARD_REFUSED, operation.refusal(attempt.failure()));
  }

  private static <R> RetryDecision cancelled(
      Operation<R> operation, AttemptRun<R> attempt, @Nullable StopReason cancelReason) {
    StopReason reason = cancelReason == null ? StopReason.CANCELLED : cancelReason;
    return outside(operation, attempt, reason, cancelled(operation, reason));
  }

  /** A function of the user's threw. */
  private static <R> RetryDecision userCodeFailed(
      Operation<R> operation, AttemptRun<R> attempt, Throwable thrown) {
    return outside(operation, attempt, StopReason.USER_CODE_FAILED, thrown);
  }

  /** Something threw where nothing is expected to. */
  static <R> RetryDecision broken(Operation<R> operation, AttemptRun<R> attempt, Throwable thrown) {
    return outside(operation, attempt, StopReason.USER_CODE_FAILED, thrown);
  }

  /** Ends the operation for a reason that the attempt itself did not give. */
  private static <R> RetryDecision outside(
      Operation<R> operation, AttemptRun<R> attempt, StopReason reason, Throwable thrown) {
    R response = attempt.response();
    attempt.endedWith(null, thrown); // first: what follows may throw, and then this is called again
    if (response != null) {
      operation.discard(response);
    }
    operation.endedOutside(reason, thrown);
    operation.abandon(reason, thrown);
    return Decisions.stop(reason);
  }

  // Ends that the attempts do not tell of.

  /** The response that an operation ends with. */
  static <R> R present(Operation<R> operation, @Nullable R response) {
    if (response == null) {
      throw new IllegalStateException("an attempt ended without a response: " + operation);
    }
    return response;
  }

  /**
   * Puts the report on what the caller gets.
   *
   * @param thrown what the caller gets instead of a response
   * @param report null if no response need carry it
   * @return the response, null for none
   */
  static <R> @Nullable R hand(
      Operation<R> operation,
      @Nullable R response,
      @Nullable Throwable thrown,
      @Nullable RetryReport report) {
    if (thrown != null) {
      RetryTrace.put(thrown, Objects.requireNonNull(report));
      return null;
    }
    R present = present(operation, response);
    try {
      return operation.transport().deliver(present, report);
    } catch (Throwable broken) {
      RetryTrace.put(broken, report == null ? CleanReport.of(operation.info()) : report);
      throw broken;
    }
  }

  /** No attempt can begin any more. */
  static Throwable deadline(Operation<?> operation) {
    TimeUp limit = ReachedLimit.of(operation, 0, operation.now());
    return limit == null
        ? operation.transport().failure(RetryTransport.End.DEADLINE, null)
        : operation.transport().timedOut(limit);
  }

  /** The caller has ended it: cancelled or interrupted. */
  static Throwable cancelled(Operation<?> operation, StopReason reason) {
    return reason == StopReason.INTERRUPTED
        ? interrupted(operation, null)
        : operation.transport().failure(RetryTransport.End.CANCELLED, null);
  }

  static Throwable interrupted(Operation<?> operation, @Nullable Throwable cause) {
    return operation.transport().failure(RetryTransport.End.INTERRUPTED, cause);
  }

  static Throwable rejected(Operation<?> operation, @Nullable Throwable cause) {
    return operation.transport().failure(RetryTransport.End.REJECTED, cause);
  }
}
