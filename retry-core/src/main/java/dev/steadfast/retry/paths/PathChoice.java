package dev.steadfast.retry.paths;

import dev.steadfast.retry.OtherPath;

/**
 * The decision that an attempt takes another connection than the client's usual one.
 *
 * @param why the reason, for the report
 * @param step the preparation
 */
public record PathChoice(OtherPath why, Step step) {
  /** The preparation of an attempt before it takes the other connection. */
  public enum Step {
    /** It opens a new connection. An older one can no longer be trusted and is dropped. */
    OPEN,
    /** It waits while {@link DeadPaths#opening} is true: another attempt opens the connection. */
    AWAIT,
    /** It goes at once: the connection is there. */
    GO
  }
}
