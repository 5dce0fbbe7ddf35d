package dev.steadfast.retry.operations;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.RetryTrace;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.Journaling.Codec;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.internal.CleanReport;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.Repeat;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of a journaled operation: claim it, send it, note its end, and tell its caller. Each
 * step that may take time is a loop of its own. Confined like those loops.
 */
final class JournalSteps<R> {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  // Polls for the end of an operation that somebody else works on; bounded by the deadline.
  private static final RetryPolicy POLLS =
      RetryPolicy.builder()
          .maxAttempts(1_000_000)
          .backoff(Backoff.fullJitter(Duration.ofMillis(20), Duration.ofSeconds(1)))
          .noTotalTimeout()
          .build();

  private final JournaledOperation operation;
  private final RetryTransport<R> client;
  private final Codec<R> codec;
  private final RetryPlan journalPlan;
  private final AttemptsTransport<R> attempts;
  private final ClaimRefusal<R> refusal;

  private volatile long claimedNanos;
  private volatile boolean reached; // the journal has answered this call

  JournalSteps(JournaledOperation operation, RetryTransport<R> client, Codec<R> codec) {
    this.operation = operation;
    this.client = client;
    this.codec = codec;
    this.attempts = new AttemptsTransport<>(client);
    this.refusal = new ClaimRefusal<>(operation, codec);
    this.journalPlan =
        RetryPlan.of(POLLS, RetryBudget.unlimited(), operation.plan().environment())
            .withReplayable(Replayable.ALWAYS)
            .withContext(operation.plan().context());
  }

  /** When the latest claim was begun. Its lease and the time of its key begin later than that. */
  long claimedNanos() {
    return claimedNanos;
  }

  // The claim.

  RetryLoop<Claim> claiming(boolean blocking) {
    JournalCall<Claim> call =
        JournalCall.asking(
            this::claim,
            claim -> claim instanceof Claim.InFlight && operation.waits(),
            claim -> elsewhere(() -> release(claim)),
            where(blocking));
    return RetryLoop.of(journalPlan, operation.info(), call);
  }

  private JournalCall.Where where(boolean blocking) {
    return new JournalCall.Where(
        client,
        operation.journal().executor().orElse(null),
        operation.plan().environment().scheduler(),
        blocking);
  }

  private Claim claim() throws IOException {
    claimedNanos = operation.plan().environment().ticker().getAsLong();
    OperationJournal journal = operation.journal();
    Claim claim = journal.claim(operation.intent(), operation.lease());
    reached = true;
    return claim instanceof Claim.Granted granted && !sendable(granted)
        ? new Claim.InFlight() // somebody took it meanwhile
        : claim;
  }

  // The claim is written, so a journal that cannot be reached now is no reason to send without it.
  private boolean sendable(Claim.Granted granted) throws IOException {
    try {
      return operation.journal().sending(operation.intent(), granted);
    } catch (RefusedException lost) {
      throw new IOException("the journal was lost after the claim", lost);
    }
  }

  // Gives back a claim that came too late: nobody waits for it any more, and nothing is sent.
  private void release(Claim claim) {
    if (claim instanceof Claim.Granted granted) {
      State state = granted.mayHaveActed() ? State.READY : State.CLOSED;
      note(granted, new Ending(state, null, 0, null));
    }
  }

  private void elsewhere(Runnable task) {
    Executor executor = operation.journal().executor().orElse(Runnable::run);
    try {
      executor.execute(task);
    } catch (RuntimeException refused) {
      LOG.warn("the journal could not be told: {}", operation.info(), refused);
    }
  }

  static Claim.@Nullable Granted granted(StepEnd<Claim> claimed) {
    return claimed.value() instanceof Claim.Granted granted ? granted : null;
  }

  /** The end of an operation that is not sent; null if it is. */
  @Nullable StepEnd<R> withoutSending(StepEnd<Claim> claimed) {
    return refusal.end(claimed, reached);
  }

  // The attempts.

  /**
   * The attempts.
   *
   * @param nanos how long they may take
   */
  RetryLoop<R> sending(long nanos) {
    attempts.endsAt(operation.plan().environment().ticker().getAsLong() + nanos);
    return RetryLoop.of(operation.plan(), operation.info(), attempts);
  }

  // The end.

  /** The part of the attempts that is to be noted. */
  record Noted(
      Claim.@Nullable Granted granted, RetryReport report, Settlement settlement, Ending ending) {}

  Noted noted(Claim.@Nullable Granted granted, StepEnd<R> sent) {
    Throwable thrown = sent.thrown();
    RetryReport report =
        thrown == null
            ? attempts.report(operation.info())
            : RetryReport.of(thrown).orElseGet(() -> CleanReport.of(operation.info()));
    Answer answer = null;
    Settlement settlement;
    try {
      R value = sent.value();
      answer = value == null ? null : kept(value);
      EarlierRequest earlier =
          granted != null && granted.mayHaveActed()
              ? EarlierRequest.MAY_HAVE_ACTED
              : EarlierRequest.NONE;
      if (value != null && !operation.hasSafeMethod()) {
        earlier = earlier.and(codec.earlierRequest(value));
      }
      settlement =
          Settlement.of(
              new Settlement.Facts(report, earlier, answer),
              operation.journal().settings().provesFailure());
    } catch (Throwable broken) { // the user's function, or a body of an interceptor's making
      LOG.warn("it cannot be told how {} ended, so it counts as unknown", operation.info(), broken);
      settlement = Settlement.unknown();
    }
    settlement = settlement.resumable(repeat());
    if (granted != null && granted.delivered()) {
      settlement = settlement.delivered();
    }
    Answer kept = answer == null || settlement.isFinished() ? answer : answer.statusAlone();
    Duration serverDelay = report.serverDelay().orElse(null);
    Ending ending = new Ending(settlement.state(), kept, report.attempts(), serverDelay);
    return new Noted(granted, report, settlement, ending);
  }

  private Answer kept(R value) {
    ResponseView head = codec.head(value);
    return new Answer(head.status(), new Content(head.headerMap(), codec.body(value)));
  }

  // A request that went out without its key, or with another one, is not protected by it.
  private Repeat repeat() {
    boolean usersWord = operation.plan().replayable() == Replayable.ALWAYS;
    return attempts.wentOutUnsafe() && !usersWord
        ? Repeat.NEVER
        : operation.intent().terms().repeat();
  }

  RetryLoop<Boolean> noting(Noted noted, boolean blocking) {
    Claim.@Nullable Granted granted = noted.granted();
    JournalCall<Boolean> call =
        JournalCall.telling(
            () -> granted != null && note(granted, noted.ending()), where(blocking));
    return RetryLoop.of(journalPlan, operation.info(), call);
  }

  private boolean note(Claim.Granted granted, Ending ending) {
    try {
      boolean held = operation.journal().ended(operation.intent(), granted, ending);
      if (!held) {
        LOG.warn("another process has taken over {}", operation.info());
      }
      return held;
    } catch (IOException | RuntimeException lost) {
      LOG.warn("the journal was not told that {} ended", operation.info(), lost);
      return false;
    }
  }

  StepEnd<R> told(Noted noted, StepEnd<R> sent, StepEnd<Boolean> noting) {
    boolean recorded = Boolean.TRUE.equals(noting.value());
    Effect effect = noted.settlement().effect();
    Effect sure = recorded || effect == Effect.SUCCEEDED ? effect : Effect.UNKNOWN;
    boolean earlier = noted.granted() != null && noted.granted().mayHaveActed();
    RetryReport report =
        new JournaledReport(
            noted.report(),
            null,
            earlier,
            new RetryReport.Saved(sure, recorded, false, resumableUntil(sure, noted.granted())));
    operation.plan().tellEnd(operation.info(), report);
    Throwable thrown = sent.thrown();
    if (thrown != null) {
      RetryTrace.put(thrown, report);
      return sent;
    }
    R answer = Objects.requireNonNull(sent.value());
    try {
      return StepEnd.of(client.deliver(answer, report));
    } catch (Throwable broken) {
      client.discard(answer);
      RetryTrace.put(broken, report);
      return StepEnd.failed(broken);
    }
  }

  private long sinceClaim() {
    return operation.plan().environment().ticker().getAsLong() - claimedNanos;
  }

  private Optional<Instant> resumableUntil(Effect effect, Claim.@Nullable Granted granted) {
    if (effect != Effect.UNKNOWN || repeat() == Repeat.NEVER) {
      return Optional.empty();
    }
    Duration left = granted == null ? null : granted.windowLeft();
    return left == null
        ? Optional.empty()
        : Optional.of(
            operation.plan().environment().clock().get().plus(left).minusNanos(sinceClaim()));
  }
}
