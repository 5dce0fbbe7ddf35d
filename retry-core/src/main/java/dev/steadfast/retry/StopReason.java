package dev.steadfast.retry;

/**
 * Why an operation ended: the closed set of reasons.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum StopReason {
  /** An attempt succeeded. */
  ACCEPTED("accepted"),
  /** The failure is not one that another attempt can mend. */
  NOT_RETRYABLE("not retryable"),
  /** The request may have been processed, and repeating it could add an effect. */
  NOT_REPLAYABLE("not replayable"),
  /** The request body was consumed and cannot be sent again. */
  BODY_NOT_REPEATABLE("the body cannot be sent again"),
  /** A resend would have sent another body than the first attempt did. */
  BODY_CHANGED("the body changed between attempts"),
  /** The server says that the key belongs to another request: 422 after a key. */
  KEY_REUSED("the idempotency key was used for another request"),
  /** The policy's number of attempts is used up. */
  ATTEMPTS_EXHAUSTED("attempts exhausted"),
  /** The server, the caller or the layer above said not to retry. */
  DO_NOT_RETRY("told not to retry"),
  /**
   * The server asks for a longer wait than {@link RetryPolicy#maxServerDelay}; the report has it.
   */
  SERVER_DELAY_TOO_LONG("the server's delay is above the ceiling"),
  /** The deadline has passed, or would pass before another attempt could do anything. */
  DEADLINE("deadline"),
  /** A breaker, a bulkhead or a gate did not admit the attempt. */
  GUARD_REFUSED("refused by a guard"),
  /** The retry budget is empty. */
  BUDGET_EXHAUSTED("retry budget exhausted"),
  /** The caller cancelled. */
  CANCELLED("cancelled"),
  /** The calling thread was interrupted. */
  INTERRUPTED("interrupted"),
  /** The scheduler or an executor accepts no more work. */
  REJECTED("rejected by the scheduler"),
  /** The journal does not let the operation be sent; the exception says why. */
  JOURNAL_REFUSED("refused by the journal"),
  /** Somebody else works on the same journaled operation. */
  IN_FLIGHT_ELSEWHERE("in flight elsewhere"),
  /** The name and key of a journaled operation belong to another request. */
  OTHER_REQUEST("name and key of another request"),
  /** The journaled operation may have been processed before, and must not be sent again. */
  EARLIER_OUTCOME_UNKNOWN("the outcome of an earlier call is unknown"),
  /** A predicate, classifier or other user code threw; the caller gets its exception. */
  USER_CODE_FAILED("user code failed");

  private final String text;

  StopReason(String text) {
    this.text = text;
  }

  /**
   * {@return whether the operation ended although the failure was one to retry: the cases in which
   * a caller should not retry on top}
   */
  public boolean gaveUp() {
    return switch (this) {
      case ATTEMPTS_EXHAUSTED,
          DO_NOT_RETRY,
          SERVER_DELAY_TOO_LONG,
          DEADLINE,
          GUARD_REFUSED,
          BUDGET_EXHAUSTED,
          REJECTED ->
          true;
      default -> false;
    };
  }

  @Override
  public String toString() {
    return text;
  }
}
