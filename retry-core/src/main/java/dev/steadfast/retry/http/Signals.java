package dev.steadfast.retry.http;

import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.internal.Checks;

/**
 * What a response says about retrying, beside its status. Immutable.
 *
 * @param serverDelay the delay that it asks for
 * @param stop whether it says not to retry; any stop beats any go
 * @param go whether it says to retry; that lifts a permanent status, and never makes a request
 *     replayable
 * @param unprocessed whether it proves that the request was not processed
 */
public record Signals(ServerDelay serverDelay, boolean stop, boolean go, boolean unprocessed) {
  static final Signals NONE = new Signals(ServerDelay.none(), false, false, false);

  /**
   * Checks that nothing is missing.
   *
   * @throws NullPointerException if the server delay is null
   */
  public Signals {
    Checks.notNull("server delay", serverDelay);
  }
}
