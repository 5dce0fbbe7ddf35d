package dev.steadfast.retry.paths;

import dev.steadfast.retry.OtherPath;

/**
 * That an attempt takes another connection than the client's usual one.
 *
 * @param why the reason, for the report
 * @param step what there is to do before
 */
public record PathChoice(OtherPath why, Step step) {
  /** The preparation of an attempt before it takes the other connection. */
  public enum Step {
    /** It opens a new one. The rest of an old one is too old to be trusted, and is let go. */
    OPEN,
    /** It waits as long as {@link DeadPaths#opening} says so: another attempt opens it. */
    AWAIT,
    /** Nothing. */
    GO
  }
}
