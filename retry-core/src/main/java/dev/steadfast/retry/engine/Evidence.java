package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.internal.Checks;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an attempt, whatever its outcome means: the requests that it sent, and the
 * answer. A transport gathers it from the wire, or infers it from its client's contract. Immutable.
 *
 * @param requests the requests of the attempt
 * @param status the status of the answer, -1 without one
 * @param deliveries how often a request went to the wire, -1 if the client does not show it
 * @param replayed whether the server marked its answer as the replay of a stored one
 * @param bodySpent whether the request body cannot be sent again
 */
public record Evidence(
    Requests requests, int status, int deliveries, boolean replayed, boolean bodySpent) {

  /**
   * Checks that nothing is missing.
   *
   * @throws NullPointerException if the requests are null
   */
  public Evidence {
    Checks.notNull("requests", requests);
  }

  /**
   * What is known of an attempt whose answer is not marked as a replay and whose body can be sent
   * again.
   *
   * @param requests the requests of the attempt
   * @param status the status of the answer, -1 without one
   * @param deliveries how often a request went to the wire, -1 if the client does not show it
   * @return the evidence
   */
  public static Evidence of(Requests requests, int status, int deliveries) {
    return new Evidence(requests, status, deliveries, false, false);
  }

  /**
   * The same evidence, with the last request as one that the server refused.
   *
   * @return a changed copy
   */
  public Evidence refused() {
    return new Evidence(requests.refused(), status, deliveries, replayed, bodySpent);
  }

  /**
   * The same evidence, with the answer as one that the server marked as the replay of a stored one.
   *
   * @return a changed copy
   */
  public Evidence marked() {
    return new Evidence(requests, status, deliveries, true, bodySpent);
  }

  /**
   * The same evidence, where a request before the last one may have had an effect of which the
   * answer tells nothing: a 303 leads from a POST to a GET, or an interceptor sent the request
   * again.
   *
   * @return a changed copy
   */
  public Evidence afterEffect() {
    return new Evidence(requests.afterEffect(), status, deliveries, replayed, bodySpent);
  }

  /**
   * What became of the attempt as a whole: of its last request, or of an earlier one if only that
   * may have been processed.
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
   * Whether it is unknown what the server did: its answer is lost, or reports an error of the
   * server. A status from 400 to 499 says that it did not do what was asked. 408 does not: a proxy
   * may send it after it has passed the request on. Nor does any if it answers another request than
   * the one that may have had the effect.
   */
  boolean ambiguous() {
    boolean told = status >= 400 && status < 500 && status != 408;
    return requests.afterEffect || (disposition().mayHaveActed() && !told);
  }

  /** Why sending a request again adds no effect, the strongest reason first. */
  public enum Safety {
    /** It was not processed: it was not sent, or the server refused it. */
    UNPROCESSED,
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
     * Law 1: nothing that may have taken effect is sent again unless that is safe on the wire.
     *
     * @param replayable the caller's word; null: the requests tell
     */
    boolean allowsRepeating(@Nullable Boolean replayable) {
      return replayable == null ? this != UNSAFE : replayable || this == UNPROCESSED;
    }
  }

  /**
   * The requests of one attempt: the last one, and those before it, such as the one that was
   * answered by a redirect. Of those before it only the weakest reason is kept. Immutable; equal
   * ones are the same object.
   */
  public static final class Requests {
    private static final Requests[] ALL = all(false);
    private static final Requests[] ALL_AFTER_EFFECT = all(true);

    private final Disposition last;
    private final Safety lastSafety;
    private final Safety earlier;
    private final boolean afterEffect;

    private Requests(Disposition last, Safety lastSafety, Safety earlier, boolean afterEffect) {
      this.last = last;
      this.lastSafety = lastSafety;
      this.earlier = earlier;
      this.afterEffect = afterEffect;
    }

    private static Requests[] all(boolean afterEffect) {
      Requests[] all = new Requests[64];
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
      return (last.ordinal() << 4) | (lastSafety.ordinal() << 2) | earlier.ordinal();
    }

    /**
     * The requests of an attempt that sent several.
     *
     * @param last what became of the last request
     * @param lastSafety why sending the last one again adds no effect, by its method and its key
     * @param earlier the weakest reason for those before it; {@link Safety#UNPROCESSED} for none
     * @return the requests
     */
    public static Requests of(Disposition last, Safety lastSafety, Safety earlier) {
      return ALL[index(last, lastSafety, earlier)];
    }

    /**
     * The request of an attempt that sent one.
     *
     * @param disposition what became of it
     * @param safety why sending it again adds no effect, by its method and its key
     * @return the requests
     */
    public static Requests of(Disposition disposition, Safety safety) {
      return of(disposition, safety, Safety.UNPROCESSED);
    }

    private Requests afterEffect() {
      return ALL_AFTER_EFFECT[index(last, lastSafety, earlier)];
    }

    private Requests refused() {
      Requests refused = of(Disposition.REFUSED, lastSafety, earlier);
      return afterEffect ? refused.afterEffect() : refused;
    }

    /**
     * What became of the last request.
     *
     * @return its disposition
     */
    public Disposition last() {
      return last;
    }

    Safety earlier() {
      return earlier;
    }

    /**
     * The weakest reason why sending the requests again adds no effect.
     *
     * @return {@link Safety#UNSAFE} if one of them may have been processed and nothing protects it
     */
    public Safety safety() {
      return last.mayHaveActed() ? earlier.and(lastSafety) : earlier;
    }

    @Override
    public String toString() {
      return last + " " + lastSafety + (earlier == Safety.UNPROCESSED ? "" : " after " + earlier);
    }
  }
}
