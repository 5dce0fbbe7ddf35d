package dev.steadfast.retry.internal;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The report of an operation whose first attempt was accepted and that had no listener. It has no
 * times, because none were taken.
 */
public final class CleanReport implements RetryReport {
  private static final CleanReport OF_UNKNOWN_OPERATION = new CleanReport(null);

  private final @Nullable OperationInfo operation;

  private CleanReport(@Nullable OperationInfo operation) {
    this.operation = operation;
  }

  /**
   * The report of an operation.
   *
   * @param operation the operation, with its key; null if it is not known
   * @return its report
   */
  public static RetryReport of(@Nullable OperationInfo operation) {
    return operation == null ? OF_UNKNOWN_OPERATION : new CleanReport(operation);
  }

  @Override
  public StopReason reason() {
    return StopReason.ACCEPTED;
  }

  @Override
  public int attempts() {
    return 1;
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
    return true;
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
    return operation == null ? Optional.empty() : operation.idempotencyKey();
  }

  @Override
  public String toString() {
    return "1 attempt, " + StopReason.ACCEPTED;
  }
}
