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
import java.util.OptionalInt;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The report of an operation. Holds nothing of its request but the key. */
final class OperationReport implements RetryReport, ReportFigures {
  private final StopReason reason;
  private final Totals totals;
  private final List<AttemptReport> attemptReports;
  private final Flags flags;
  private final Optional<String> idempotencyKey;

  OperationReport(
      StopReason reason,
      Totals totals,
      List<? extends AttemptReport> attemptReports,
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
   * Sums over the operation, with times in nanoseconds, and what ended it.
   *
   * @param because names the limit, the rule or the word behind the reason; empty for none
   */
  record Totals(
      int attempts, long elapsedNanos, long waitedNanos, ServerDelay serverDelay, String because) {}

  /**
   * The facts that a caller must know before acting on the answer.
   *
   * @param perhapsProcessed how many attempts were neither unsent nor refused
   * @param withoutKey names a request that did not carry the key, null for none
   */
  record Flags(
      int perhapsProcessed,
      boolean earlierMayHaveActed,
      boolean outcomeUnknown,
      boolean replayed,
      boolean onlyReads,
      @Nullable String withoutKey) {
    Flags withOutcomeUnknown() {
      return new Flags(perhapsProcessed, earlierMayHaveActed, true, replayed, false, withoutKey);
    }
  }

  @Override
  public RetryReport withOutcomeUnknown() {
    return lastAnswerTells()
        ? this
        : new OperationReport(
            reason, totals, attemptReports, flags.withOutcomeUnknown(), idempotencyKey);
  }

  @Override
  public boolean effectUnknown() {
    return flags.outcomeUnknown() && !flags.onlyReads();
  }

  /** Whether the last answer tells what became of the operation, whatever came before it. */
  private boolean lastAnswerTells() {
    int status = last().map(AttemptReport::status).orElse(OptionalInt.empty()).orElse(-1);
    AnswerProof proof = AnswerProof.of(status);
    return reason == StopReason.ACCEPTED
        ? !proof.sendsElsewhere()
        : flags.replayed() && !proof.mayBeDone();
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
    return flags.perhapsProcessed() > 0;
  }

  @Override
  public int attemptsPerhapsBilled() {
    return flags.perhapsProcessed();
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
    return flags.withoutKey() == null ? idempotencyKey : Optional.empty();
  }

  @Override
  public Optional<String> sentWithoutKey() {
    return idempotencyKey.isPresent() ? Optional.ofNullable(flags.withoutKey()) : Optional.empty();
  }

  private String because() {
    return totals.because().isEmpty() ? "" : ": " + totals.because();
  }

  private String attemptTexts() {
    String key = idempotencyKey.orElse(null);
    StringJoiner texts = new StringJoiner(", ", " [", "]");
    for (AttemptReport each : attemptReports) {
      texts.add(each instanceof AttemptRecord own ? own.text(key) : each.toString());
    }
    return texts.toString();
  }

  @Override
  public String toString() {
    String attempts = totals.attempts() == 1 ? "1 attempt" : totals.attempts() + " attempts";
    return attempts
        + " in "
        + Durations.printRounded(totals.elapsedNanos())
        + ", "
        + reason
        + because()
        + sentWithoutKey().map(request -> ", without its key: " + request).orElse("")
        + (attemptReports.isEmpty() ? "" : attemptTexts());
  }
}
