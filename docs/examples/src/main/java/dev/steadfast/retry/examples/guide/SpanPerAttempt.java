package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import java.time.Duration;
import java.util.function.Consumer;

/** One span per attempt, within one per operation; here a span is two lines. */
final class SpanPerAttempt implements RetryListener {
  private final Consumer<String> spans;

  SpanPerAttempt(Consumer<String> spans) {
    this.spans = spans;
  }

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    spans.accept("start " + operation.label() + " resend_count=" + (attempt - 1));
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    spans.accept("end " + attempt.outcome());
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    spans.accept("wait, because of " + why);
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    spans.accept(report.attempts() + " attempts, " + report.reason());
  }
}
