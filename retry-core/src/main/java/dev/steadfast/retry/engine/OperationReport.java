package dev.steadfast.retry.engine;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.ReportFigures;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What happened to an operation. Holds nothing of its request but the key. */
final class OperationReport implements RetryReport, ReportFigures {
  private final StopReason reason;
  private final Totals totals;
  private final List<AttemptReport> attemptReports;
  private final Flags flags;
  private final Optional<String> idempotencyKey;

  OperationReport(
      StopReason reason,
      Totals totals,
      List<AttemptReport> attemptReports,
      Flags flags,
      OperationInfo operation) {
    this(reason, totals, List.copyOf(attemptReports), flags, operation.idempotencyKey());
  }

  private OperationReport(
      StopReason reason,
      Totals totals,
      List<AttemptReport> attemptReports,
      Flags flags,
      Optional<String> idempotencyKey) {
    this.reason = reason;
    this.totals = totals;
    this.attemptReports = attemptReports;
    this.flags = flags;
    this.idempotencyKey = idempotencyKey;
  }

  /**
   * Sums over the operation, and the longest server delay that was obeyed; times in nanoseconds.
   */
  record Totals(
      int attempts,
      long elapsedNanos,
      long waitedNanos,
      ServerDelay serverDelay,
      long maxServerDelayNanos) {}

  /** What a caller must know before acting on the answer. */
  record Flags(
      boolean serverMayHaveActed,
      boolean earlierMayHaveActed,
      boolean outcomeUnknown,
      boolean replayed) {
    Flags withOutcomeUnknown() {
      return new Flags(serverMayHaveActed, earlierMayHaveActed, true, replayed);
    }
  }

  @Override
  public RetryReport withOutcomeUnknown() {
    return reason == StopReason.ACCEPTED
        ? this
        : new OperationReport(
            reason, totals, attemptReports, flags.withOutcomeUnknown(), idempotencyKey);
  }

  @Override
  public StopReason reason() {
    return reason;
  }

  @Override
  public int attempts() {
    return totals.attempts();
  }

  @Override
  public List<AttemptReport> attemptReports() {
    return attemptReports;
  }

  @Override
  public Optional<AttemptReport> last() {
    return attemptReports.isEmpty()
        ? Optional.empty()
        : Optional.of(attemptReports.get(attemptReports.size() - 1));
  }

  @Override
  public Duration elapsed() {
    return Duration.ofNanos(totals.elapsedNanos());
  }

  @Override
  public long elapsedNanos() {
    return totals.elapsedNanos();
  }

  @Override
  public Duration waited() {
    return Duration.ofNanos(totals.waitedNanos());
  }

  @Override
  public Optional<Duration> serverDelay() {
    return totals.serverDelay().delay();
  }

  @Override
  public boolean serverMayHaveActed() {
    return flags.serverMayHaveActed();
  }

  @Override
  public boolean outcomeUnknown() {
    return flags.outcomeUnknown();
  }

  @Override
  public boolean earlierAttemptMayHaveActed() {
    return flags.earlierMayHaveActed();
  }

  @Override
  public boolean replayed() {
    return flags.replayed();
  }

  @Override
  public Optional<String> idempotencyKey() {
    return idempotencyKey;
  }

  private String aboveCeiling() {
    return reason == StopReason.SERVER_DELAY_TOO_LONG
        ? ": "
            + Durations.printRounded(totals.serverDelay().nanos())
            + " asked, at most "
            + Durations.printRounded(totals.maxServerDelayNanos())
        : "";
  }

  @Override
  public String toString() {
    String attempts = totals.attempts() == 1 ? "1 attempt" : totals.attempts() + " attempts";
    return attempts
        + " in "
        + Durations.printRounded(totals.elapsedNanos())
        + ", "
        + reason
        + aboveCeiling()
        + (attemptReports.isEmpty() ? "" : " " + attemptReports);
  }
}
