package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The journal as it is while an operation is resumed. An operation that its caller has finished
 * since it was found is not sent any more, and nothing is sent without the journal. It belongs to
 * one operation, whose client may use it on any threads.
 */
final class Resumed implements OperationJournal {
  private final JdbcJournal journal;
  private final Claims claims;
  private final AtomicReference<@Nullable Row> found;
  private final Resuming.Read read;
  private volatile boolean sendingNoted; // with the claim
  private volatile boolean asked;
  private volatile boolean claimed;
  private volatile @Nullable Ending ending;
  private volatile boolean finished;

  /** A view for one operation. */
  Resumed(JdbcJournal journal, Claims claims, Resuming.Read read) {
    this.journal = journal;
    this.claims = claims;
    this.found = new AtomicReference<>(read.row());
    this.read = read;
  }

  /** Whether the client has asked for a claim on it. */
  boolean isAsked() {
    return asked;
  }

  /** Whether a claim on it was granted. */
  boolean isClaimed() {
    return claimed;
  }

  /** The end of the operation, if it was sent. */
  Resuming.Outcome outcome() {
    return finished ? Resuming.Outcome.FINISHED : Resuming.Outcome.SENT;
  }

  /** Whether it ended without a request that could have reached the server. */
  boolean isUnsent() {
    Ending end = ending;
    return end != null && isUnsent(end);
  }

  private static boolean isUnsent(Ending end) {
    return end.answer() == null && (end.attempts() == 0 || end.state() == State.CLOSED);
  }

  /** The state of its destination that the delivery shows. */
  OriginGate.Result result() {
    Ending end = ending;
    if (end == null) {
      return OriginGate.Result.NOTHING;
    }
    if (end.state() == State.SUCCEEDED || end.state() == State.FAILED) {
      return OriginGate.Result.ANSWERED;
    }
    if (end.attempts() == 0) {
      return OriginGate.Result.NOTHING; // held back in the client
    }
    Answer answer = end.answer();
    if (answer == null) {
      return isUnsent(end) ? OriginGate.Result.UNREACHED : OriginGate.Result.SILENT;
    }
    boolean overloaded = answer.status() >= 500 || answer.status() == 429;
    return overloaded ? OriginGate.Result.OVERLOADED : OriginGate.Result.ANSWERED;
  }

  /** The time for which the whole destination asked to be left alone; null if it did not. */
  @Nullable Duration asked() {
    Ending end = ending;
    Answer answer = end == null ? null : end.answer();
    return end != null && answer != null && answer.status() == 503 ? end.retryIn() : null;
  }

  @Override
  public Settings settings() {
    return journal.settings().refusingUnreachable();
  }

  @Override
  public Claim claim(Intent intent, Duration lease) throws IOException {
    asked = true;
    Claims.Found due = Claims.Found.of(found.getAndSet(null));
    Claim claim = claims.claim(intent, lease, due);
    sendingNoted = due.first() != null;
    claimed |= claim instanceof Claim.Granted;
    return claim;
  }

  @Override
  public boolean sending(Intent intent, Claim.Granted claim) throws IOException {
    return sendingNoted || journal.sending(intent, claim);
  }

  @Override
  public boolean ended(Intent intent, Claim.Granted claim, Ending ending) throws IOException {
    this.ending = ending;
    Rows.End end = new Rows.End(ending, true, read.inSequence());
    boolean noted = claims.ended(new Rows.HeldClaim(intent.id(), claim.token()), end);
    State state = ending.state();
    finished =
        noted && (state == State.SUCCEEDED || state == State.FAILED || state == State.UNKNOWN);
    return noted;
  }

  @Override
  public Optional<Executor> executor() {
    return read.woken() ? Optional.empty() : journal.executor();
  }
}
