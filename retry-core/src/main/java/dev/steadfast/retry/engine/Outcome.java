package dev.steadfast.retry.engine;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.Checks;

/**
 * How an attempt ended: its meaning by the rules, and what is known of it. The engine alone turns
 * that into a decision. Immutable.
 *
 * @param verdict what the answer or the failure means
 * @param evidence what is known of the attempt, whatever a rule says
 */
public record Outcome(Verdict verdict, Evidence evidence) {
  /**
   * Adds to the evidence what the verdict claims: that the server did nothing on the last request.
   * A claim about an answer that user code has changed does not count.
   *
   * @throws NullPointerException if a part is null
   */
  public Outcome {
    Checks.notNull("verdict", verdict);
    Checks.notNull("evidence", evidence);
    if (verdict instanceof Verdict.Retryable failure && failure.claimsUnprocessed()) {
      evidence = evidence.withRefusal();
    }
  }

  /**
   * An outcome. The frequent ones are shared, while the constructor makes a new one each time.
   *
   * @param verdict what it means
   * @param evidence what is known of its requests
   * @return an outcome, perhaps a shared one
   */
  public static Outcome of(Verdict verdict, Evidence evidence) {
    return verdict instanceof Verdict.Accepted accepted && accepted.observed()
        ? evidence.requests().accepted(evidence)
        : new Outcome(verdict, evidence);
  }

  /**
   * Whether the server refused a connection or its protocol, so that an additional attempt is safe.
   * A failed handshake proves that nothing was sent. A refused protocol does not, so then a key or
   * the caller's word is not enough.
   */
  boolean refusesConnection() {
    return verdict.kind() == FailureKind.TLS
        || (evidence.safety().needsNoKey() && AnswerProof.refusesProtocol(evidence.status()));
  }

  /**
   * The same answer, when more is known of the requests of its attempt.
   *
   * @param wire what the client has shown of the requests by now
   * @return a changed copy, with what the answer claims and proves
   */
  public Outcome withEvidence(Evidence wire) {
    boolean claimed = evidence.proof() == AnswerProof.REFUSED;
    Evidence known = claimed ? wire.withRefusal() : wire.withProof(evidence.proof());
    return new Outcome(verdict, evidence.replayed() ? known.withReplay() : known);
  }
}
