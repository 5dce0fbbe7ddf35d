package dev.steadfast.retry.engine;

/**
 * The caller's word: what the caller has said about repeating an operation. Immutable.
 *
 * @param replayable whether repeating adds no effect
 * @param paidRepeats how many attempts may follow those that may have been processed, where nothing
 *     but this word makes that safe
 */
record RepeatPermission(Replayable replayable, int paidRepeats) {
  static final RepeatPermission NONE =
      new RepeatPermission(Replayable.BY_REQUEST, Integer.MAX_VALUE);

  /** Whether an attempt may be followed by another. */
  boolean allows(Evidence.Safety safety) {
    return safety.allowsRepeating(replayable);
  }

  /**
   * Whether a client may send a request again within an attempt. Such repeats are not counted, so a
   * word that limits their number does not cover them.
   */
  boolean allowsUncounted(Evidence.Safety safety) {
    boolean counts = replayable == Replayable.ALWAYS && paidRepeats < Integer.MAX_VALUE;
    return safety.allowsRepeating(counts ? Replayable.BY_REQUEST : replayable);
  }

  /**
   * Whether another attempt would be a paid repeat too many.
   *
   * @param perhapsProcessed how many attempts may have been processed so far
   */
  boolean forbidsPaying(Evidence.Safety safety, int perhapsProcessed) {
    return perhapsProcessed > paidRepeats && !safety.allowsRepeating(Replayable.BY_REQUEST);
  }
}
