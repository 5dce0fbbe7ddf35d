package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.UnsuccessfulAttemptException;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The permits of one attempt; answered once, whatever happens. */
final class GuardPermits {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final int FIRST_FAILURE = 400;
  private static final GuardPermits NONE = new GuardPermits(List.of());

  private List<Guard.Permit> held;
  private @Nullable Guard refuser; // of the attempt
  private boolean saidHowLong; // the refuser did

  /**
   * When an attempt ended, for its guards.
   *
   * @param elapsedNanos how long it took
   * @param nowNanos the time
   * @param leftNanos what is left until the deadline, beyond the shortest attempt
   * @param mayTakeNanos the longest that an attempt may take by itself
   */
  record AttemptTiming(long elapsedNanos, long nowNanos, long leftNanos, long mayTakeNanos) {

    /** The end of the attempt that runs. */
    static AttemptTiming of(
        RetryPlan plan, RetryState state, OperationRecord record, long nowNanos) {
      long left = state.remainingNanos(nowNanos) - plan.nanos().minimumAttempt();
      long may = plan.nanos().longestAttempt(state.ownTimeoutNanos(state.attempts()));
      return new AttemptTiming(record.attemptNanos(nowNanos), nowNanos, left, may);
    }

    Guard.Failure failure(FailureKind kind, Disposition disposition) {
      return new Guard.Failure(kind, isConclusive(kind, disposition), elapsedNanos, nowNanos);
    }

    /**
     * Whether it tells how long the server takes. A timeout does not if the request had not been
     * sent yet, or if the deadline came before half of the time that the attempt may take by
     * itself.
     */
    private boolean isConclusive(FailureKind kind, Disposition disposition) {
      if (kind != FailureKind.TIMEOUT) {
        return true;
      }
      boolean ownTimeout = leftNanos > 0;
      return disposition != Disposition.UNSENT && (ownTimeout || elapsedNanos >= mayTakeNanos / 2);
    }
  }

  private GuardPermits(List<Guard.Permit> held) {
    this.held = held;
  }

  static GuardPermits none() {
    return NONE;
  }

  /** The permits of an attempt that is to pass so many guards. */
  static GuardPermits of(int guards) {
    return new GuardPermits(new ArrayList<>(guards));
  }

  /**
   * When the last of the guards admits another attempt. Waiting for the others is of no use if the
   * guard that refused the attempt does not know when it will admit one.
   */
  AdmissionTime opening(List<Guard> guards, OperationInfo operation, long nowNanos) {
    AdmissionTime latest = AdmissionTime.NOW;
    for (Guard guard : guards) {
      long nanos = guard.admitsInNanos(operation, nowNanos);
      if (nanos == Guard.NEVER) {
        return new AdmissionTime(Guard.NEVER, 0, guard);
      }
      if (nanos == 0 && guard.equals(refuser)) {
        if (!saidHowLong) {
          return AdmissionTime.NOW;
        }
        nanos = 1; // another operation has changed that since
      }
      if (nanos > latest.inNanos()) {
        latest =
            new AdmissionTime(nanos, Math.max(0, guard.spreadNanos(operation, nowNanos)), guard);
      }
    }
    return latest;
  }

  /**
   * The guard that holds the next attempt back.
   *
   * @param opening what the guards said when they were asked
   * @return its name, empty if none does
   */
  String refuser(AdmissionTime opening) {
    Guard guard = opening.guard() == null ? refuser : opening.guard();
    return guard == null ? "" : String.valueOf(guard);
  }

  /** Passes all guards, or gives back what the first ones admitted and throws. */
  void acquire(List<Guard> guards, OperationInfo operation, long nowNanos) {
    try {
      for (Guard guard : guards) {
        refuser = guard;
        held.add(guard.acquire(operation, nowNanos));
      }
      refuser = null;
    } catch (Throwable refused) {
      saidHowLong = refused instanceof ServerDelayPendingException;
      each(Guard.Permit::unsent);
      throw refused;
    }
  }

  /** Tells the guards that no attempt follows. */
  static void operationEnded(List<Guard> guards, OperationInfo operation) {
    for (Guard guard : guards) {
      try {
        guard.operationEnded(operation);
      } catch (Throwable broken) { // the operation has ended, whatever a guard makes of it
        LOG.warn("a guard threw when it was told of the end of an operation", broken);
      }
    }
  }

  /** Answers for an attempt that was accepted. */
  void accepted(Verdict verdict, long elapsedNanos) {
    boolean observed = verdict instanceof Verdict.Accepted accepted && accepted.observed();
    each(permit -> {
      if (observed) {
        permit.succeeded(elapsedNanos);
      } else {
        permit.released();
      }
    });
  }

  /** Answers by what the attempt meant for the health of the server. */
  void answer(Outcome outcome, AttemptTiming took, @Nullable Throwable thrown) {
    Verdict verdict = outcome.verdict();
    FailureKind kind = verdict.kind();
    if (kind == null) {
      accepted(verdict, took.elapsedNanos());
    } else if (kind == FailureKind.STALE_CONNECTION || endedByCaller(verdict)) {
      release();
    } else if (isAlive(outcome.evidence().status(), kind)) {
      each(permit -> permit.succeeded(took.elapsedNanos()));
    } else {
      Throwable failure = thrown != null ? thrown : new UnsuccessfulAttemptException(kind);
      Guard.Failure how = took.failure(kind, outcome.evidence().disposition());
      each(permit -> permit.failed(how, failure));
    }
  }

  /**
   * Whether the server is healthy: it is if it answers 409, 429 or another 4xx. A stream that
   * begins with an overload counts like a 529, and a broken body like a lost connection, although
   * their status is 200.
   */
  private static boolean isAlive(int status, FailureKind kind) {
    boolean overloaded = status < FIRST_FAILURE && kind == FailureKind.THROTTLED;
    return AnswerProof.showsWorkingServer(status) && !overloaded && kind != FailureKind.BROKEN_BODY;
  }

  boolean any() {
    return !held.isEmpty();
  }

  void release() {
    each(Guard.Permit::released);
  }

  private static boolean endedByCaller(Verdict verdict) {
    if (!(verdict instanceof Verdict.Permanent permanent)) {
      return false;
    }
    return switch (permanent.reason()) {
      case CANCELLED, INTERRUPTED, REJECTED, USER_CODE_FAILED, BODY_CHANGED, BODY_NOT_REPEATABLE ->
          true;
      default -> false;
    };
  }

  private void each(Consumer<Guard.Permit> answer) {
    List<Guard.Permit> permits = held;
    if (permits.isEmpty()) {
      return;
    }
    held = List.of();
    for (Guard.Permit permit : permits) {
      try {
        answer.accept(permit);
      } catch (Throwable broken) { // an error too: the next permit must still be settled
        LOG.warn("a guard threw when its permit was answered; the operation goes on", broken);
      }
    }
  }
}
