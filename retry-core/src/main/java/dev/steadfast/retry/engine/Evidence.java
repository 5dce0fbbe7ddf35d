package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.Checks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The known facts of an attempt, whatever its outcome means: the requests that it sent, and the
 * answer. A {@link WireLog} derives them from what a client shows of its requests. Immutable.
 */
public final class Evidence {
  // Why it is like this: docs/decisions/evidence.md
  private final Requests requests;
  private final short status;
  private final int deliveries;
  private final boolean bodySpent;
  private final boolean replayed;
  private final AnswerProof proof;
  private final WireFindings trail;

  private Evidence(Requests requests, int status, int deliveries, boolean bodySpent) {
    this.requests = Checks.notNull("requests", requests);
    this.status = (short) Checks.within("status", status, -1, 999);
    this.deliveries = deliveries;
    this.bodySpent = bodySpent;
    this.replayed = false;
    this.proof = AnswerProof.of(status);
    this.trail = WireFindings.SEEN;
  }

  /** A copy with another fate of the body. */
  private Evidence(Evidence of, boolean bodySpent) {
    this.requests = of.requests;
    this.status = of.status;
    this.deliveries = of.deliveries;
    this.bodySpent = bodySpent;
    this.replayed = of.replayed;
    this.proof = of.proof;
    this.trail = of.trail;
  }

  /** A copy with another account of the wire. */
  private Evidence(Evidence of, int deliveries, WireFindings trail) {
    this.requests = of.requests;
    this.status = of.status;
    this.deliveries = deliveries;
    this.bodySpent = of.bodySpent;
    this.replayed = of.replayed;
    this.proof = of.proof;
    this.trail = trail;
  }

  /** A copy with another meaning of the answer. */
  private Evidence(Evidence of, Requests requests, boolean replayed, AnswerProof proof) {
    this.requests = requests;
    this.status = of.status;
    this.deliveries = of.deliveries;
    this.bodySpent = of.bodySpent;
    this.replayed = replayed;
    this.proof = Checks.notNull("proof", proof);
    this.trail = of.trail;
  }

  /**
   * The evidence of an attempt that sent one request, whose answer proves no more than its status
   * does, and whose body can be sent again.
   *
   * @param last the disposition of the request
   * @param safety why sending it again adds no effect, by its method and its key
   * @param status the status of the answer, at most 999; -1 without one
   * @param deliveries how often a request went to the wire, -1 if the client does not show it
   * @return the evidence
   * @throws IllegalArgumentException if the status is not between -1 and 999
   */
  public static Evidence of(Disposition last, Safety safety, int status, int deliveries) {
    return of(Requests.of(last, safety, Safety.UNPROCESSED), status, deliveries, false);
  }

  static Evidence of(Requests requests, int status, int deliveries, boolean bodySpent) {
    boolean usual = status == 200 && Math.abs(deliveries) == 1 && !bodySpent;
    return usual
        ? requests.answered(deliveries).evidence()
        : new Evidence(requests, status, deliveries, bodySpent);
  }

  /**
   * The same evidence of an attempt that sent other requests before the last one.
   *
   * @param earlier the weakest reason why sending those again adds no effect; {@link
   *     Safety#UNPROCESSED} for none
   * @return a changed copy
   */
  public Evidence withEarlier(Safety earlier) {
    return with(Requests.of(requests.last(), requests.lastSafety, earlier), replayed, proof);
  }

  /**
   * The same evidence, with what became of the request body.
   *
   * @param spent whether the request body cannot be sent again
   * @return this or a changed copy
   */
  public Evidence withBodySpent(boolean spent) {
    return spent == bodySpent ? this : new Evidence(this, spent);
  }

  /** The same evidence, with what the requests on the wire tell beyond that. */
  @SuppressWarnings("ReferenceEquality") // most findings are the very same object
  Evidence withTrail(WireFindings told) {
    return told == trail ? this : new Evidence(this, deliveries, told);
  }

  /**
   * {@return the same evidence of a client that may have sent more than it shows: the deliveries
   * are not known}
   */
  public Evidence withUnknownDeliveries() {
    return new Evidence(this, -1, trail);
  }

  Requests requests() {
    return requests;
  }

  /** {@return the disposition of the last request} */
  public Disposition last() {
    return requests.last();
  }

  /**
   * {@return the weakest reason why sending the requests again adds no effect: {@link
   * Safety#UNSAFE} if one of them may have been processed and nothing protects it}
   */
  public Safety safety() {
    return requests.safety();
  }

  /** {@return the status of the answer, -1 without one} */
  public int status() {
    return status;
  }

  /** {@return how often a request went to the wire, -1 if the client does not show it} */
  public int deliveries() {
    return deliveries;
  }

  /** {@return whether there is a request body that cannot be sent again} */
  public boolean bodySpent() {
    return bodySpent;
  }

  /** {@return whether the server marked its answer as the replay of a stored one} */
  public boolean replayed() {
    return replayed;
  }

  /**
   * {@return the proof that the answer gives of the request that it answers, by its status alone
   * until more is known}
   */
  public AnswerProof proof() {
    return proof;
  }

  WireFindings trail() {
    return trail;
  }

  /**
   * {@return the same evidence, with the last request as one that the server refused: a rule or a
   * signal of the answer claims that} Returns this if user code has changed the answer: then the
   * claim is not about what the server has sent.
   */
  public Evidence withRefusal() {
    return trail.answerIsServers() ? with(requests.refused(), replayed, AnswerProof.REFUSED) : this;
  }

  private Evidence with(Requests requests, boolean replayed, AnswerProof proof) {
    boolean same = requests == this.requests && replayed == this.replayed && proof == this.proof;
    return same ? this : new Evidence(this, requests, replayed, proof);
  }

  /**
   * {@return the same evidence, with the answer as one that the server marked as the replay of a
   * stored one}
   */
  public Evidence withReplay() {
    return with(requests, true, proof);
  }

  /**
   * {@return the same evidence, where a request before the last one may have had an effect of which
   * the answer tells nothing: a 303 leads from a POST to a GET, or an interceptor sent the request
   * again}
   */
  public Evidence withEarlierEffect() {
    return with(requests.afterEffect(), replayed, proof);
  }

  /**
   * The same evidence, with what the answer proves by its status, the method and its headers.
   *
   * @param proved what it proves
   * @return this or a changed copy
   */
  public Evidence withProof(AnswerProof proved) {
    return proved == proof ? this : with(requests, replayed, proved);
  }

  /**
   * The disposition of the attempt as a whole: of its last request, or of an earlier one if only
   * that may have been processed.
   *
   * @return whether the server may have acted
   */
  Disposition disposition() {
    Disposition last = requests.last();
    if (requests.earlier() == Safety.UNPROCESSED || last.mayHaveActed()) {
      return last;
    }
    return status < 0 ? Disposition.UNKNOWN : Disposition.ANSWERED;
  }

  /**
   * Whether it is unknown what the server did: the answer is lost, or does not tell. An answer
   * tells only of the request that it answers.
   *
   * @param accepted whether the rules take the answer for a success
   */
  boolean leavesUnknown(boolean accepted) {
    if (accepted && !proof.sendsElsewhere()) {
      return false;
    }
    return requests.afterEffect || (disposition().mayHaveActed() && proof.mayBeDone());
  }

  /** Whether the answer proves that no request with the same key had an effect. */
  boolean provesFailure() {
    return replayed && !proof.mayBeDone();
  }

  private List<Object> parts() {
    return List.of(requests, status, deliveries, bodySpent, replayed, proof, trail);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Evidence evidence && parts().equals(evidence.parts());
  }

  @Override
  public int hashCode() {
    return parts().hashCode();
  }

  @Override
  public String toString() {
    return "Evidence" + parts();
  }

  /**
   * The facts that the requests on the wire tell, beyond how each of them ended. Immutable.
   *
   * @param answerIsServers whether the answer has the status that the server sent for the last
   *     request; true without an answer
   * @param unsafe the method and place of the request for which the attempt must not be repeated;
   *     null if there is none, or if it is the only one
   * @param withoutKey the method and place of a request that may have had an effect and did not
   *     carry the operation's key; null if there is none
   */
  record WireFindings(
      boolean answerIsServers, @Nullable String unsafe, @Nullable String withoutKey) {
    static final WireFindings SEEN = new WireFindings(true, null, null);
    private static final WireFindings CHANGED = new WireFindings(false, null, null);

    static WireFindings of(boolean answerIsServers) {
      return answerIsServers ? SEEN : CHANGED;
    }
  }

  /**
   * Why sending a request again adds no effect, the strongest reason first.
   *
   * <p>A later version may add values, so a switch over them needs a default.
   */
  public enum Safety {
    /** It was not processed: it was not sent, or the server refused it. */
    UNPROCESSED,
    /** Its method only reads (RFC 9110 section 9.2.1), so it has no effect. */
    READ_ONLY,
    /** Its method is idempotent (RFC 9110 section 9.2.2). */
    IDEMPOTENT,
    /** It carried the operation's idempotency key, byte for byte. */
    KEYED,
    /** Nothing protects it. */
    UNSAFE;

    /**
     * The weaker of two reasons: what holds for both requests.
     *
     * @param other the other reason
     * @return this or the other
     */
    public Safety and(Safety other) {
      return compareTo(other) >= 0 ? this : other;
    }

    /**
     * {@return whether the method of the request is the reason: it only reads, or is idempotent}
     */
    public boolean isByMethod() {
      return this == READ_ONLY || this == IDEMPOTENT;
    }

    /**
     * Whether repeating it needs neither a key nor the caller's word, which a server may not
     * honour.
     */
    boolean needsNoKey() {
      return this != KEYED && this != UNSAFE;
    }

    /**
     * Whether a request may be repeated: if it may have taken effect, only where that is safe.
     *
     * @param replayable the caller's word
     */
    boolean allowsRepeating(Replayable replayable) {
      return switch (replayable) {
        case BY_REQUEST -> this != UNSAFE;
        case ALWAYS -> true;
        case NEVER -> this == UNPROCESSED;
      };
    }
  }

  /**
   * The requests of one attempt: the last one, and those before it, such as the one that was
   * answered by a redirect. Only the weakest reason of those before it is kept. Immutable; equal
   * ones are the same object.
   */
  static final class Requests {
    private static final Requests[] ALL = all(false);
    private static final Requests[] ALL_AFTER_EFFECT = all(true);

    private final Disposition last;
    private final Safety lastSafety;
    private final Safety earlier;
    private final boolean afterEffect;
    // Outcomes that many attempts share: an answer with the status 200, after one delivery or an
    // unknown number of them, and no other number. They are immutable, so a race to set them is
    // harmless.
    private @Nullable Outcome answered;
    private @Nullable Outcome answeredUncounted;

    private Requests(Disposition last, Safety lastSafety, Safety earlier, boolean afterEffect) {
      this.last = last;
      this.lastSafety = lastSafety;
      this.earlier = earlier;
      this.afterEffect = afterEffect;
    }

    private static Requests[] all(boolean afterEffect) {
      Requests[] all = new Requests[256];
      for (Disposition last : Disposition.values()) {
        for (Safety lastSafety : Safety.values()) {
          for (Safety earlier : Safety.values()) {
            all[index(last, lastSafety, earlier)] =
                new Requests(last, lastSafety, earlier, afterEffect);
          }
        }
      }
      return all;
    }

    @SuppressWarnings("EnumOrdinal") // for a table of all combinations
    private static int index(Disposition last, Safety lastSafety, Safety earlier) {
      return (last.ordinal() << 6) | (lastSafety.ordinal() << 3) | earlier.ordinal();
    }

    /** {@code earlier} is {@link Safety#UNPROCESSED} if no request came before the last. */
    static Requests of(Disposition last, Safety lastSafety, Safety earlier) {
      return ALL[index(last, lastSafety, earlier)];
    }

    private Requests afterEffect() {
      return ALL_AFTER_EFFECT[index(last, lastSafety, earlier)];
    }

    private Requests refused() {
      Requests refused = of(Disposition.REFUSED, lastSafety, earlier);
      return afterEffect ? refused.afterEffect() : refused;
    }

    Disposition last() {
      return last;
    }

    /** The shared outcome; deliveries are 1, or -1 if they are not known. */
    private Outcome answered(int deliveries) {
      Outcome known = deliveries < 0 ? answeredUncounted : answered;
      if (known != null) {
        return known;
      }
      Outcome made = new Outcome(Verdict.accepted(), new Evidence(this, 200, deliveries, false));
      if (deliveries < 0) {
        answeredUncounted = made;
      } else {
        answered = made;
      }
      return made;
    }

    @SuppressWarnings("ReferenceEquality") // an equal one gets a new outcome
    Outcome accepted(Evidence evidence) {
      Outcome usual = evidence.deliveries < 0 ? answeredUncounted : answered;
      return usual != null && usual.evidence() == evidence
          ? usual
          : new Outcome(Verdict.accepted(), evidence);
    }

    Safety earlier() {
      return earlier;
    }

    /** Whether one of the requests does more than read. */
    boolean mayHaveEffect() {
      return afterEffect || safety().compareTo(Safety.READ_ONLY) > 0;
    }

    /** The weakest reason why sending them again adds no effect. */
    Safety safety() {
      return last.mayHaveActed() ? earlier.and(lastSafety) : earlier;
    }

    @Override
    public String toString() {
      return last + " " + lastSafety + (earlier == Safety.UNPROCESSED ? "" : " after " + earlier);
    }
  }
}
