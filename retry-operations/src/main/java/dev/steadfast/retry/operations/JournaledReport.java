package dev.steadfast.retry.operations;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.internal.CleanReport;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
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
  // The journal says so, whatever the word for the effect is.
  private static final Set<OperationJournal.Refusal> NOTED =
      EnumSet.of(
          OperationJournal.Refusal.UNKNOWN,
          OperationJournal.Refusal.PARKED,
          OperationJournal.Refusal.CANCELLED);

  /** Nothing was sent by this call. */
  static RetryReport notSent(Effect effect, Throwable thrown, OperationInfo operation) {
    StopReason reason =
        thrown instanceof RefusedException refused
            ? reason(refused.refusal())
            : RetryReport.of(thrown).map(RetryReport::reason).orElse(StopReason.USER_CODE_FAILED);
    Saved known = new Saved(effect, isRecorded(effect, thrown), false, Optional.empty());
    return new JournaledReport(CleanReport.of(operation), reason, false, known);
  }

  private static StopReason reason(OperationJournal.Refusal refusal) {
    return switch (refusal) {
      case IN_FLIGHT -> StopReason.IN_FLIGHT_ELSEWHERE;
      case OTHER_REQUEST -> StopReason.OTHER_REQUEST;
      case UNKNOWN -> StopReason.EARLIER_OUTCOME_UNKNOWN;
      case UNREACHABLE, ANSWER_NOT_KEPT, OTHER_CALLER, PARKED, CANCELLED ->
          StopReason.JOURNAL_REFUSED;
    };
  }

  private static boolean isRecorded(Effect effect, Throwable thrown) {
    boolean noted = thrown instanceof RefusedException refused && NOTED.contains(refused.refusal());
    return noted || effect == Effect.SUCCEEDED || effect == Effect.FAILED;
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
