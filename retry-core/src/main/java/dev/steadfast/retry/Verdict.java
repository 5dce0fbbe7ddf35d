package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of one attempt, as a classifier judged it. Immutable.
 *
 * <p>A verdict says how an attempt went, never what to do next: attempts, deadline, budget and
 * guards are weighed by the engine alone.
 */
public sealed interface Verdict permits Verdict.Accepted, Verdict.Permanent, Verdict.Retryable {

  /** {@return the kind of the failure, null if the attempt did not fail} */
  @Nullable FailureKind kind();

  /** {@return the delay that the server asked for, {@link ServerDelay#none()} for none} */
  ServerDelay serverDelay();

  /** {@return the shared verdict that the attempt succeeded} */
  static Accepted accepted() {
    return Accepted.BY_SERVER;
  }

  /**
   * {@return the shared verdict that the answer came without the server, from a cache: nothing to
   * learn from it, so there is no deposit and no breaker record}
   */
  static Accepted acceptedWithoutServer() {
    return Accepted.WITHOUT_SERVER;
  }

  /**
   * {@return a verdict that the failure ends the operation, because no other attempt can mend it:
   * {@link StopReason#NOT_RETRYABLE}}
   */
  static Permanent permanent() {
    return permanent(StopReason.NOT_RETRYABLE);
  }

  /**
   * The failure ends the operation.
   *
   * @param reason why
   * @return a verdict
   */
  static Permanent permanent(StopReason reason) {
    return new Permanent(reason, FailureKind.OTHER, ServerDelay.none());
  }

  /**
   * Another attempt may succeed. A rule does not decide whether the request may be sent again: a
   * request that may have been processed and is not safe to repeat is not sent again, unless the
   * verdict {@linkplain Retryable#withNothingDone() claims} that the server did nothing.
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

    @Override
    public @Nullable FailureKind kind() {
      return null;
    }

    @Override
    public ServerDelay serverDelay() {
      return ServerDelay.none();
    }
  }

  /**
   * No other attempt is made.
   *
   * @param reason why
   * @param kind what went wrong
   * @param serverDelay the delay that the server asked for although nothing is retried; the report
   *     shows it
   */
  record Permanent(StopReason reason, FailureKind kind, ServerDelay serverDelay)
      implements Verdict {
    /**
     * Checks that nothing is missing.
     *
     * @throws NullPointerException if a part is null
     * @throws IllegalArgumentException if the reason is {@link StopReason#ACCEPTED}
     */
    public Permanent {
      Checks.notNull("reason", reason);
      Checks.notNull("kind", kind);
      Checks.notNull("serverDelay", serverDelay);
      if (reason == StopReason.ACCEPTED) {
        throw Checks.bad("reason", reason, "a reason to give up");
      }
    }
  }

  /**
   * Another attempt may be made.
   *
   * @param kind what went wrong
   * @param serverDelay the delay that the server asked for
   * @param doNotRetry whether the server or a layer above said not to retry
   * @param once whether this kind of failure is worth one retry per operation and no more
   * @param claimsUnprocessed whether the rule claims that the server did nothing on the request
   *     that it answered
   */
  record Retryable(
      FailureKind kind,
      ServerDelay serverDelay,
      boolean doNotRetry,
      boolean once,
      boolean claimsUnprocessed)
      implements Verdict {
    private static final Map<FailureKind, Retryable> PLAIN = new EnumMap<>(FailureKind.class);

    static {
      for (FailureKind each : FailureKind.values()) {
        PLAIN.put(each, new Retryable(each, ServerDelay.none(), false, false, false));
      }
    }

    /**
     * Checks that nothing is missing.
     *
     * @throws NullPointerException if a part is null
     */
    public Retryable {
      Checks.notNull("kind", kind);
      Checks.notNull("serverDelay", serverDelay);
    }

    /**
     * The same failure with a delay asked for by the server.
     *
     * @param serverDelay the delay
     * @return a changed copy
     */
    public Retryable withServerDelay(ServerDelay serverDelay) {
      return new Retryable(kind, serverDelay, doNotRetry, once, claimsUnprocessed);
    }

    /** {@return the same failure, which the server or a layer above said not to retry} */
    public Retryable withDoNotRetry() {
      return new Retryable(kind, serverDelay, true, once, claimsUnprocessed);
    }

    /** {@return the same failure, worth one retry per operation and no more} */
    public Retryable withOneRetry() {
      return new Retryable(kind, serverDelay, doNotRetry, true, claimsUnprocessed);
    }

    /**
     * {@return the same failure, with the claim that the server did nothing on the request that it
     * answered, so that any request may be sent again} Dangerous: a wrong claim repeats effects.
     */
    public Retryable withNothingDone() {
      return new Retryable(kind, serverDelay, doNotRetry, once, true);
    }
  }
}
