package dev.steadfast.retry.examples;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what the library tells its listeners. */
final class Counter implements RetryListener {
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger failedOverTls = new AtomicInteger();

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    attempts.incrementAndGet();
    waiting.addAndGet(attempt > 1 ? -1 : 0);
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    if (attempt.failure().isPresent() && operation.origin().startsWith("https")) {
      failedOverTls.incrementAndGet();
    }
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    waiting.incrementAndGet();
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    ended.incrementAndGet();
  }

  /** How many attempts were started. */
  int attempts() {
    return attempts.get();
  }

  /** How many operations wait for their next attempt. */
  int waiting() {
    return waiting.get();
  }

  /** How many operations are over. */
  int ended() {
    return ended.get();
  }

  /** How many attempts over HTTP/2 and TLS ended without an answer. */
  int failedOverTls() {
    return failedOverTls.get();
  }
}
