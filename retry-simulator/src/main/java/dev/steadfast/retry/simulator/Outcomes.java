package dev.steadfast.retry.simulator;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;

/** How simulated attempts end. Their requests are idempotent, so each of them may be repeated. */
final class Outcomes {
  static final Evidence LOST = evidence(Disposition.UNKNOWN, -1);

  static final Outcome ACCEPTED = answered(200, Verdict.accepted());
  static final Outcome UNAVAILABLE = answered(503, Verdict.retryable(FailureKind.UNAVAILABLE));
  static final Outcome CONFLICT = answered(409, Verdict.retryable(FailureKind.CONFLICT));
  static final Outcome TIMEOUT = new Outcome(Verdict.retryable(FailureKind.TIMEOUT), LOST);

  private Outcomes() {}

  static Outcome answered(int status, Verdict verdict) {
    return new Outcome(verdict, answered(status));
  }

  static Evidence answered(int status) {
    return evidence(Disposition.ANSWERED, status);
  }

  private static Evidence evidence(Disposition last, int status) {
    return Evidence.of(Evidence.Requests.of(last, Evidence.Safety.IDEMPOTENT), status, 1);
  }
}
