package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * What one attempt meant, as a classifier judged it. Immutable.
 *
 * <p>A verdict says what the attempt was, never what to do next: attempts, deadline, budget and
 * guards are weighed by {@link RetryState} alone.
 */
public sealed interface Verdict permits Verdict.Accepted, Verdict.Permanent, Verdict.Retryable {

  /**
   * The attempt succeeded.
   *
   * @return the shared instance
   */
  static Accepted accepted() {
    return Accepted.BY_SERVER;
  }

  /**
   * The answer came without the server, from a cache: nothing to learn from it, so there is no
   * deposit and no breaker record.
   *
   * @return the shared instance
   */
  static Accepted acceptedWithoutServer() {
    return Accepted.WITHOUT_SERVER;
  }

  /**
   * The failure ends the operation.
   *
   * @param reason why: {@link StopReason#NOT_RETRYABLE}, for instance
   * @return a verdict
   */
  static Permanent permanent(StopReason reason) {
    return new Permanent(reason, FailureKind.OTHER, Hint.none());
  }

  /**
   * Another attempt may succeed, and cannot do harm.
   *
   * @param kind what went wrong
   * @return a verdict; the same one for equal kinds
   */
  static Retryable retryable(FailureKind kind) {
    return Objects.requireNonNull(Retryable.PLAIN.get(Checks.notNull("kind", kind)));
  }

  /**
   * The caller gets this answer.
   *
   * @param observed whether the server gave it, rather than a cache
   */
  record Accepted(boolean observed) implements Verdict {
    private static final Accepted BY_SERVER = new Accepted(true);
    private static final Accepted WITHOUT_SERVER = new Accepted(false);
  }

  /**
   * No other attempt is made.
   *
   * @param reason why
   * @param kind what went wrong
   * @param hint the delay that the server asked for all the same; the report shows it
   */
  record Permanent(StopReason reason, FailureKind kind, Hint hint) implements Verdict {
    /**
     * Checks that nothing is missing.
     *
     * @throws NullPointerException if a part is null
     * @throws IllegalArgumentException if the reason is {@link StopReason#ACCEPTED}
     */
    public Permanent {
      Checks.notNull("reason", reason);
      Checks.notNull("kind", kind);
      Checks.notNull("hint", hint);
      if (reason == StopReason.ACCEPTED) {
        throw Checks.bad("reason", reason, "a reason to give up");
      }
    }
  }

  /**
   * Another attempt may be made.
   *
   * @param kind what went wrong
   * @param hint the delay that the server asked for
   * @param toldNotToRetry whether the server or a layer above said not to retry
   * @param once whether this kind of failure is worth one retry per operation and no more
   */
  record Retryable(FailureKind kind, Hint hint, boolean toldNotToRetry, boolean once)
      implements Verdict {
    private static final Map<FailureKind, Retryable> PLAIN = new EnumMap<>(FailureKind.class);

    static {
      for (FailureKind each : FailureKind.values()) {
        PLAIN.put(each, new Retryable(each, Hint.none(), false, false));
      }
    }

    /**
     * Checks that nothing is missing.
     *
     * @throws NullPointerException if a part is null
     */
    public Retryable {
      Checks.notNull("kind", kind);
      Checks.notNull("hint", hint);
    }

    /**
     * The same failure with a delay asked for by the server.
     *
     * @param hint the delay
     * @return a changed copy
     */
    public Retryable withHint(Hint hint) {
      return new Retryable(kind, hint, toldNotToRetry, once);
    }

    /**
     * The same failure, which the server or a layer above said not to retry.
     *
     * @return a changed copy
     */
    public Retryable told() {
      return new Retryable(kind, hint, true, once);
    }

    /**
     * The same failure, worth one retry per operation and no more.
     *
     * @return a changed copy
     */
    public Retryable onlyOnce() {
      return new Retryable(kind, hint, toldNotToRetry, true);
    }
  }
}
