package dev.steadfast.retry.engine;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells several listeners, logs, and lets no exception of a listener through. */
final class Listeners implements RetryListener {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final List<RetryListener> listeners;

  Listeners(List<RetryListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  /** Whether somebody listens: without, no event object need be made. */
  boolean any() {
    return !listeners.isEmpty();
  }

  @Override
  public void operationStarted(OperationInfo operation) {
    tell(each -> each.operationStarted(operation));
  }

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    tell(each -> each.attemptStarted(operation, attempt, request));
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    tell(each -> each.attemptEnded(operation, attempt));
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    tell(each -> each.waiting(operation, delay, why));
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    tell(each -> each.ended(operation, report));
  }

  static boolean logsRetries() {
    return LOG.isDebugEnabled();
  }

  /** One line per retry. */
  static void logRetry(OperationInfo operation, AttemptReport attempt, RetryDecision.Retry retry) {
    if (LOG.isDebugEnabled()) {
      LOG.debug(
          "{}: attempt {} ended with {}, next in {} ({})",
          operation,
          attempt.number(),
          attempt.outcome(),
          Durations.printRounded(retry.delayNanos()),
          retry.why());
    }
  }

  /** One line per operation that gives up after having retried. */
  static void logGivingUp(OperationInfo operation, RetryReport report) {
    if (LOG.isWarnEnabled()) {
      LOG.warn(
          "{}: gave up after {} attempts in {}: {}; last: {}",
          operation,
          report.attempts(),
          Durations.printRounded(report.elapsed()),
          report.reason(),
          report.last().map(AttemptReport::outcome).orElse("nothing"));
    }
  }

  // An Error is caught, too: a listener that is broken must not end the operation.
  private void tell(Consumer<RetryListener> event) {
    for (RetryListener each : listeners) {
      try {
        event.accept(each);
      } catch (Throwable broken) {
        LOG.warn("a retry listener threw; the operation goes on", broken);
      }
    }
  }
}
