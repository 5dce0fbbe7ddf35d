package dev.steadfast.retry.operations;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.internal.CleanReport;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The report of a journaled operation: that of its attempts, and what the journal knows.
 *
 * @param attempted the report of the attempts; if none was made, one that has only the key
 * @param unsent why this call made no attempt; null if it made one
 * @param earlier whether an earlier claim of the operation may have had an effect
 * @param known what the journal knows
 */
record JournaledReport(
    RetryReport attempted, @Nullable StopReason unsent, boolean earlier, Saved known)
    implements RetryReport {
  /** Nothing was sent by this call. */
  static RetryReport notSent(StopReason reason, Saved known, OperationInfo operation) {
    return new JournaledReport(CleanReport.of(operation), reason, false, known);
  }

  /** Nothing was sent by this call, and it is not known what an earlier one did. */
  static RetryReport notSent(StopReason reason, OperationInfo operation) {
    return notSent(reason, new Saved(Effect.UNKNOWN, false, false, Optional.empty()), operation);
  }

  /** The answer of an earlier call. */
  static RetryReport handedBack(Effect effect, OperationInfo operation) {
    Saved known = new Saved(effect, true, true, Optional.empty());
    return new JournaledReport(CleanReport.of(operation), StopReason.ACCEPTED, false, known);
  }

  @Override
  public Optional<Saved> saved() {
    return Optional.of(known);
  }

  @Override
  public StopReason reason() {
    return unsent == null ? attempted.reason() : unsent;
  }

  @Override
  public int attempts() {
    return unsent == null ? attempted.attempts() : 0;
  }

  @Override
  public List<AttemptReport> attemptReports() {
    return attempted.attemptReports();
  }

  @Override
  public Optional<AttemptReport> last() {
    return attempted.last();
  }

  @Override
  public Duration elapsed() {
    return attempted.elapsed();
  }

  @Override
  public Duration waited() {
    return attempted.waited();
  }

  @Override
  public Optional<Duration> serverDelay() {
    return attempted.serverDelay();
  }

  @Override
  public boolean serverMayHaveActed() {
    return known.effect() != Effect.NEVER_SENT;
  }

  @Override
  public boolean outcomeUnknown() {
    return known.effect() == Effect.UNKNOWN;
  }

  @Override
  public boolean earlierAttemptMayHaveActed() {
    return earlier || attempted.earlierAttemptMayHaveActed();
  }

  @Override
  public boolean replayed() {
    return attempted.replayed();
  }

  @Override
  public Optional<String> idempotencyKey() {
    return attempted.idempotencyKey();
  }

  @Override
  public Optional<String> sentWithoutKey() {
    return attempted.sentWithoutKey();
  }

  @Override
  public String toString() {
    String attempts = unsent == null ? attempted.toString() : "nothing sent, " + unsent;
    return attempts
        + "; "
        + known.effect().toString().toLowerCase(Locale.ROOT).replace('_', ' ')
        + (known.handedBack() ? ", handed back" : "")
        + (known.recorded() ? "" : ", not recorded");
  }
}
