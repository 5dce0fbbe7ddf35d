package dev.steadfast.retry.http;

import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.Checks;
import org.jspecify.annotations.Nullable;

/**
 * The signals of a response about retrying, apart from its status. Immutable.
 *
 * @param serverDelay the delay that it asks for
 * @param shouldRetry true if it says to retry: that makes a final status retryable, and never a
 *     request replayable; false if it says not to retry, also where it says both; null if it says
 *     neither
 * @param unprocessed whether it proves that the request was not processed
 * @param replayed whether it says that it is the stored answer to an earlier request with this key,
 *     which every further attempt would get again
 */
public record Signals(
    ServerDelay serverDelay, @Nullable Boolean shouldRetry, boolean unprocessed, boolean replayed) {
  static final Signals NONE = new Signals(ServerDelay.none(), null, false, false);

  /**
   * Checks that nothing is missing.
   *
   * @throws NullPointerException if the server delay is null
   */
  public Signals {
    Checks.notNull("serverDelay", serverDelay);
  }

  boolean saysRetry() {
    return Boolean.TRUE.equals(shouldRetry);
  }

  /** Whether the server wants the request again, later. A stored answer stays what it is. */
  boolean asksToWait() {
    return !replayed && (serverDelay.present() || saysRetry());
  }

  boolean saysDoNotRetry() {
    return Boolean.FALSE.equals(shouldRetry);
  }

  /** Adds the server delay, and the server's word not to retry, to a verdict to retry. */
  Verdict addedTo(Verdict verdict) {
    if (!(verdict instanceof Verdict.Retryable retryable)) {
      return verdict;
    }
    Verdict.Retryable delayed =
        retryable.serverDelay().present() ? retryable : retryable.withServerDelay(serverDelay);
    return saysDoNotRetry() ? delayed.withDoNotRetry() : delayed;
  }

  Signals ofReplay() {
    return new Signals(serverDelay, shouldRetry, unprocessed, true);
  }
}
