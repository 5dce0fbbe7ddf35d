package dev.steadfast.retry.jfr;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.Durations;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The events of one operation that have begun and not ended. Confined: the events of an operation
 * come one after the other, though not always on one thread.
 */
final class OpenEvents {
  private final long number;
  private final OperationInfo info;
  private @Nullable OperationEvent operation;
  private @Nullable AttemptEvent attempt;
  private @Nullable WaitEvent wait;

  OpenEvents(long number, OperationInfo info) {
    this.number = number;
    this.info = info;
  }

  void operationStarted() {
    operation = new OperationEvent();
    operation.begin();
  }

  void attemptStarted() {
    attempt = new AttemptEvent();
    attempt.begin();
  }

  void waiting(long delayNanos, DelayReason why) {
    waitEnded(); // the wait before, if a guard then refused the attempt
    wait = new WaitEvent();
    wait.delay = delayNanos;
    wait.why = why.toString();
    wait.begin();
  }

  /** Called when the next attempt begins or the operation ends. */
  void waitEnded() {
    WaitEvent event = wait;
    wait = null;
    if (event != null && event.ends(number, info)) {
      event.commit();
    }
  }

  void attemptEnded(AttemptReport report) {
    AttemptEvent event = attempt;
    attempt = null;
    if (event != null && event.ends(number, info)) {
      event.number = report.number();
      event.outcome = report.outcome();
      event.kind = report.kind().map(OpenEvents::text).orElse(null);
      event.disposition = text(report.disposition());
      event.commit();
    }
  }

  void operationEnded(RetryReport report) {
    OperationEvent event = operation;
    operation = null;
    if (event != null && event.ends(number, info)) {
      event.attempts = report.attempts();
      event.waited = Durations.nanos(report.waited());
      event.reason = report.reason().toString();
      event.outcomeUnknown = report.outcomeUnknown();
      event.replayed = report.replayed();
      event.commit();
    }
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
