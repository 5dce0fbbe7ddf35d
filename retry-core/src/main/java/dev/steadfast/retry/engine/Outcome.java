package dev.steadfast.retry.engine;

import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.Checks;

/**
 * How an attempt ended: what a rule says that it means, and what is known of it. {@link RetryState}
 * alone turns that into a decision. Immutable.
 *
 * @param verdict what the answer or the failure means
 * @param evidence what is known of the attempt, whatever a rule says
 */
public record Outcome(Verdict verdict, Evidence evidence) {
  /**
   * Adds to the evidence what the verdict claims: that the server did nothing on the last request.
   *
   * @throws NullPointerException if a part is null
   */
  public Outcome {
    Checks.notNull("verdict", verdict);
    Checks.notNull("evidence", evidence);
    if (verdict instanceof Verdict.Retryable failure && failure.claimsUnprocessed()) {
      evidence = evidence.refused();
    }
  }
}
