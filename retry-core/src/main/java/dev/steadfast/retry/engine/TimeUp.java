package dev.steadfast.retry.engine;

import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.internal.Durations;

/**
 * A limit that has been reached. Authors of adapters put it into a message.
 *
 * @param limit which one
 * @param nanos its length; {@link Long#MAX_VALUE} if it is not of the policy
 */
public record TimeUp(TimeLimit limit, long nanos) {
  /** Names the limit that ended an attempt or operation, and what changes that. */
  @Override
  public String toString() {
    String length = nanos == Long.MAX_VALUE ? "" : " of " + Durations.print(nanos);
    return "the " + limit + length + " is over (" + limit.setting() + ")";
  }
}
