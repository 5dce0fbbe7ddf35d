package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.Verdict;

/** Outcomes of attempts whose request is safe to repeat by its method. */
public final class Outcomes {
  private static final Evidence SAFE =
      Evidence.of(Disposition.UNKNOWN, Evidence.Safety.IDEMPOTENT, -1, 1);

  private Outcomes() {}

  public static Outcome of(Verdict verdict) {
    return new Outcome(verdict, SAFE);
  }
}
