package dev.steadfast.retry.http;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The report of an operation that made no attempt.
 *
 * @param reason why it ended
 * @param operation the operation, with its key
 */
record NothingSent(StopReason reason, OperationInfo operation) implements RetryReport {
  @Override
  public int attempts() {
    return 0;
  }

  @Override
  public List<AttemptReport> attemptReports() {
    return List.of();
  }

  @Override
  public Optional<AttemptReport> last() {
    return Optional.empty();
  }

  @Override
  public Duration elapsed() {
    return Duration.ZERO;
  }

  @Override
  public Duration waited() {
    return Duration.ZERO;
  }

  @Override
  public Optional<Duration> serverDelay() {
    return Optional.empty();
  }

  @Override
  public boolean serverMayHaveActed() {
    return false;
  }

  @Override
  public boolean outcomeUnknown() {
    return false;
  }

  @Override
  public boolean earlierAttemptMayHaveActed() {
    return false;
  }

  @Override
  public boolean replayed() {
    return false;
  }

  @Override
  public Optional<String> idempotencyKey() {
    return operation.idempotencyKey();
  }

  @Override
  public String toString() {
    return "nothing sent, " + reason;
  }
}
