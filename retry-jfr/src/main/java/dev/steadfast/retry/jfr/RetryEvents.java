package dev.steadfast.retry.jfr;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes operations, attempts and waits to the JDK Flight Recorder, as the events {@code
 * dev.steadfast.Operation}, {@code dev.steadfast.Attempt} and {@code dev.steadfast.Wait}.
 *
 * <pre>{@code
 * HttpRetry retry = HttpRetry.builder().listener(new RetryEvents()).build();
 * }</pre>
 *
 * <p>By default a recording has the waits only. Operations and attempts are as frequent as calls,
 * so they are recorded only if the settings of the recording enable them. An event that is off
 * allocates nothing.
 *
 * <p>Events have the origin and the path of a request. They do not have its query, its user info or
 * its key. Safe for use by many threads; any number of configurations may share one object.
 */
public final class RetryEvents implements RetryListener {
  // Never written: each tells whether events of its type are enabled.
  private static final OperationEvent OPERATION = new OperationEvent();
  private static final AttemptEvent ATTEMPT = new AttemptEvent();
  private static final WaitEvent WAIT = new WaitEvent();

  private static final AtomicLong NUMBERS = new AtomicLong();

  // Empty while nothing is recorded.
  private final Map<OperationInfo, OpenEvents> open = new ConcurrentHashMap<>();

  /** A listener for the configurations of clients. */
  public RetryEvents() {}

  @Override
  public void operationStarted(OperationInfo operation) {
    if (OPERATION.isEnabled()) {
      of(operation).operationStarted();
    }
  }

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    OpenEvents events = find(operation);
    if (events != null) {
      events.waitEnded();
    }
    if (ATTEMPT.isEnabled()) {
      of(operation).attemptStarted();
    }
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    OpenEvents events = find(operation);
    if (events != null) {
      events.attemptEnded(attempt);
    }
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    if (WAIT.isEnabled()) {
      of(operation).waiting(Durations.nanos(delay), why);
    }
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    OpenEvents events = open.isEmpty() ? null : open.remove(operation);
    if (events != null) {
      events.waitEnded();
      events.operationEnded(report);
    }
  }

  /** The number of operations with events that have begun and not ended. */
  int open() {
    return open.size();
  }

  private @Nullable OpenEvents find(OperationInfo operation) {
    return open.isEmpty() ? null : open.get(operation);
  }

  private OpenEvents of(OperationInfo operation) {
    return open.computeIfAbsent(
        operation, added -> new OpenEvents(NUMBERS.incrementAndGet(), added));
  }
}
