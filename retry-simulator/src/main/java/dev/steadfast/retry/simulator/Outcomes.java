package dev.steadfast.retry.simulator;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;

/**
 * How simulated attempts end. Their requests are idempotent where nothing else is said, so each of
 * them may be repeated.
 */
final class Outcomes {
  static final Evidence LOST = lost(Evidence.Safety.IDEMPOTENT);

  static final Outcome ACCEPTED = answered(200, Verdict.accepted());
  static final Outcome UNAVAILABLE = answered(503, Verdict.retryable(FailureKind.UNAVAILABLE));
  static final Outcome CONFLICT = answered(409, Verdict.retryable(FailureKind.CONFLICT));
  static final Outcome TIMEOUT = new Outcome(Verdict.retryable(FailureKind.TIMEOUT), LOST);

  private Outcomes() {}

  static Outcome answered(int status, Verdict verdict) {
    return new Outcome(verdict, answered(status));
  }

  static Evidence answered(int status) {
    return answered(status, Evidence.Safety.IDEMPOTENT);
  }

  static Evidence answered(int status, Evidence.Safety safety) {
    return Evidence.of(Disposition.ANSWERED, safety, status, 1);
  }

  /** An attempt without an answer. */
  static Evidence lost(Evidence.Safety safety) {
    return Evidence.of(Disposition.UNKNOWN, safety, -1, 1);
  }
}
