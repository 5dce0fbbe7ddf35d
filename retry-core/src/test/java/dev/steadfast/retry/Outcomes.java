package dev.steadfast.retry;

/** Outcomes of attempts whose request is safe to repeat by its method. */
final class Outcomes {
  private static final Evidence SAFE =
      Evidence.of(Evidence.Requests.of(Disposition.UNKNOWN, Evidence.Safety.IDEMPOTENT), -1, 1);

  private Outcomes() {}

  static Outcome of(Verdict verdict) {
    return new Outcome(verdict, SAFE);
  }
}
