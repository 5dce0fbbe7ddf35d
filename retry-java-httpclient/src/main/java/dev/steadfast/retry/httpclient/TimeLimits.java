package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.engine.Advice;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.HttpOperation;
import java.net.http.HttpTimeoutException;

/** The limits that end an attempt in time, and the warnings where little or nothing does. */
record TimeLimits(HttpOperation operation, JdkRequest original) {

  /** An attempt begins. */
  void begins(Attempt<?> attempt) {
    if (!bounded() && attempt.remainingNanos() == Long.MAX_VALUE) {
      operation.plan().advise(Advice.UNBOUNDED, operation.info());
    }
  }

  /** Whether something ends an attempt before its operation. */
  private boolean bounded() {
    return operation.plan().boundsAttempts() || original.request().timeout().isPresent();
  }

  /** The exception that the caller gets. */
  Throwable timedOut(TimeUp limit, int attempts) {
    if (limit.limit() == TimeLimit.TOTAL_TIMEOUT && attempts == 1 && !bounded()) {
      operation.plan().advise(Advice.SILENT_ATTEMPT, operation.info());
    }
    return new HttpTimeoutException("request timed out: " + limit);
  }

  /**
   * The exception that the caller gets for one of the client's, which may come from a timeout that
   * we gave the client.
   */
  Throwable timedOut(Attempt<?> attempt, Throwable byClient) {
    TimeUp limit = attempt.timeUp();
    return limit == null || byClient.getClass() != HttpTimeoutException.class
        ? byClient
        : timedOut(limit, attempt.number());
  }
}
