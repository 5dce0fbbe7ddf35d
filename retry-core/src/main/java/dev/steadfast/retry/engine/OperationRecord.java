package dev.steadfast.retry.engine;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.Durations;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record of one operation, for its report. Confined like the loop that it belongs to.
 *
 * <p>The latest attempt is kept as plain fields. Its report is made when it is asked for, or when
 * the next attempt begins: most operations that wait have made one attempt, and many of them are
 * held at a time.
 */
final class OperationRecord {
  // Why it is like this: docs/decisions/one-loop.md#what-a-wrapped-call-costs
  private static final int MOST_REPORTS = 100;

  private long startNanos;
  private long attemptStartNanos;
  private long attemptNanos;
  private int attempts;
  private int perhapsProcessed; // attempts
  private boolean earlierMayHaveActed;
  private boolean mayHaveEffect; // a request that does more than read may have acted
  private boolean unknown; // what the server did on one of the attempts
  private boolean cached; // all attempts were answered without the server, and count as none
  private @Nullable Outcome outcome; // of the latest attempt, null while it runs
  private @Nullable Throwable failure;
  private @Nullable OtherPath otherPath; // of the latest attempt
  private List<AttemptRecord> reports = List.of(); // those that have been made
  private @Nullable Trouble trouble; // null: none

  /** Facts that exist only if an attempt failed or waited, or left its key behind. */
  private static final class Trouble {
    private static final Trouble NONE = new Trouble();
    private long waitBeforeNanos; // before the latest attempt
    private long waitAfterNanos; // after it
    private long waitedNanos; // in all
    private @Nullable TimeLimit endedBy; // the latest attempt
    private @Nullable String withoutKey; // a request that may have had an effect
  }

  private Trouble trouble() {
    Trouble known = trouble == null ? new Trouble() : trouble;
    trouble = known;
    return known;
  }

  private Trouble knownTrouble() {
    return trouble == null ? Trouble.NONE : trouble;
  }

  void begin(long nowNanos) {
    startNanos = nowNanos;
  }

  /** Another run begins. */
  void runAgain() {
    if (trouble != null) {
      trouble.waitAfterNanos = 0; // of a wait that was cut short
    }
  }

  void attemptBegan(int number, @Nullable OtherPath path, long nowNanos) {
    latest();
    attempts = number;
    attemptStartNanos = nowNanos;
    outcome = null;
    otherPath = path;
    if (trouble != null) {
      trouble.waitBeforeNanos = trouble.waitAfterNanos;
      trouble.waitAfterNanos = 0;
      trouble.endedBy = null;
    }
  }

  /**
   * Notes the time limit that ends the attempt, before its end is noted.
   *
   * @param limit a limit of the library's; null for a timeout of the client
   */
  void endedBy(@Nullable TimeUp limit) {
    trouble().endedBy = limit == null ? TimeLimit.CLIENT_TIMEOUT : limit.limit();
  }

  /** Whether an attempt has begun and its end has not been noted. */
  boolean attemptRuns() {
    return attempts > 0 && outcome == null;
  }

  long attemptNanos(long nowNanos) {
    return nowNanos - attemptStartNanos;
  }

  /** Notes how an attempt ended. */
  void attemptEnded(Outcome outcome, @Nullable Throwable failure, long nowNanos) {
    Verdict verdict = outcome.verdict();
    Evidence evidence = outcome.evidence();
    boolean accepted = verdict instanceof Verdict.Accepted;
    boolean sent = evidence.disposition().mayHaveActed();
    boolean unseen = verdict instanceof Verdict.Accepted answer && !answer.observed() && !sent;
    cached = unseen && (attempts == 1 || cached);
    earlierMayHaveActed = perhapsProcessed > 0;
    perhapsProcessed += sent ? 1 : 0;
    unknown |= evidence.leavesUnknown(accepted);
    mayHaveEffect |= evidence.requests().mayHaveEffect();
    String withoutKey = evidence.trail().withoutKey();
    if (withoutKey != null && trouble().withoutKey == null) {
      trouble().withoutKey = withoutKey;
    }
    attemptNanos = attemptNanos(nowNanos);
    this.outcome = outcome;
    this.failure = failure;
  }

  /** The report of the latest attempt, always the same one; null if none has ended. */
  @Nullable AttemptRecord latest() {
    int made = reports.size();
    AttemptRecord last = made == 0 ? null : reports.get(made - 1);
    if (outcome == null || (last != null && last.number() == attempts)) {
      return last;
    }
    Trouble known = knownTrouble();
    AttemptRecord report =
        new AttemptRecord(
            attempts,
            new AttemptRecord.Timing(
                attemptStartNanos - startNanos, attemptNanos, known.waitBeforeNanos),
            new AttemptRecord.Result(
                failure, outcome.verdict().kind(), known.endedBy, otherPath, outcome.evidence()));
    add(report);
    return report;
  }

  private void add(AttemptRecord report) {
    if (reports.isEmpty()) {
      reports = new ArrayList<>(2);
    } else if (reports.size() == MOST_REPORTS) {
      reports.remove(0);
    }
    reports.add(report);
  }

  /** Notes a wait before the next attempt. */
  void waiting(long nanos) {
    Trouble known = trouble();
    known.waitAfterNanos = nanos;
    known.waitedNanos = Durations.saturatedAdd(known.waitedNanos, nanos);
  }

  /** How many attempts were neither unsent nor refused. */
  int perhapsProcessed() {
    return perhapsProcessed;
  }

  /** How the latest attempt ended, null if none did. */
  @Nullable Outcome outcome() {
    return outcome;
  }

  /** The delay that the last answer asked for. */
  ServerDelay serverDelay() {
    return outcome == null ? ServerDelay.none() : outcome.verdict().serverDelay();
  }

  /** Whether it was one attempt, which was accepted: then the response tells all. */
  boolean clean(StopReason reason) {
    boolean one = attempts == 1 && !cached && otherPath == null;
    boolean tells = failure == null && !replayed() && !sentElsewhere();
    boolean keyed = knownTrouble().withoutKey == null;
    return reason == StopReason.ACCEPTED && one && tells && keyed;
  }

  /** Whether the last answer tells what became of the operation, whatever the others do. */
  private boolean settled(StopReason reason) {
    if (outcome == null) {
      return false;
    }
    boolean accepted = reason == StopReason.ACCEPTED && !sentElsewhere();
    return accepted || outcome.evidence().provesFailure();
  }

  private boolean sentElsewhere() {
    return outcome != null && outcome.evidence().proof().sendsElsewhere();
  }

  private boolean replayed() {
    return outcome != null && outcome.evidence().replayed();
  }

  RetryReport report(StopReason reason, long nowNanos, OperationInfo info, String because) {
    latest();
    Trouble known = knownTrouble();
    return new OperationReport(
        reason,
        new OperationReport.Totals(
            cached ? 0 : attempts,
            nowNanos - startNanos,
            known.waitedNanos,
            serverDelay(),
            because),
        reports,
        new OperationReport.Flags(
            perhapsProcessed,
            earlierMayHaveActed,
            unknown && !settled(reason),
            replayed(),
            !mayHaveEffect,
            known.withoutKey),
        info);
  }
}
