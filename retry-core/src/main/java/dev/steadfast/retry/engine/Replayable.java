package dev.steadfast.retry.engine;

/**
 * The caller's word on whether repeating an operation adds no effect.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum Replayable {
  /** The caller says nothing: the methods and the keys of the requests decide. */
  BY_REQUEST,
  /** Repeating the operation does no harm, whatever it sends. */
  ALWAYS,
  /** The operation may be repeated only if it was not processed. */
  NEVER;

  /**
   * The value for an option that is set.
   *
   * @param replayable what the caller says
   * @return {@link #ALWAYS} or {@link #NEVER}
   */
  public static Replayable of(boolean replayable) {
    return replayable ? ALWAYS : NEVER;
  }
}
