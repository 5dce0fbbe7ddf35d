package dev.steadfast.retry;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt on its way. One compare-and-set on its phase settles it: a response, a failure, the
 * timer or a cancellation; who comes second closes what it holds.
 *
 * <pre>
 *            begin              complete
 *   QUEUED ---------> RUNNING ------------------------> COMPLETED
 *      |                 |    head        complete          ^
 *      |                 +----------> HEAD -----------------+
 *      |                 |              |
 *      +-----------------+--------------+---> TIMED_OUT, CANCELLED, REFUSED, REJECTED
 * </pre>
 *
 * <p>For authors of adapters. Safe for use by many threads.
 *
 * @param <R> the response
 */
public final class Attempt<R> {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  @SuppressWarnings("rawtypes") // an updater knows the class of the field and no more
  private static final AtomicReferenceFieldUpdater<Attempt, Phase> PHASE =
      AtomicReferenceFieldUpdater.newUpdater(Attempt.class, Phase.class, "phase");

  @SuppressWarnings("rawtypes") // as above
  private static final AtomicIntegerFieldUpdater<Attempt> HANDED_OVER =
      AtomicIntegerFieldUpdater.newUpdater(Attempt.class, "handedOver");

  @SuppressWarnings("rawtypes") // as above
  private static final AtomicReferenceFieldUpdater<Attempt, @Nullable Completion> LATE_COMPLETION =
      AtomicReferenceFieldUpdater.newUpdater(Attempt.class, Completion.class, "lateCompletion");

  @SuppressWarnings("rawtypes") // as above
  private static final AtomicReferenceFieldUpdater<Attempt, @Nullable AttemptTimer> TIMER =
      AtomicReferenceFieldUpdater.newUpdater(Attempt.class, AttemptTimer.class, "timer");

  enum Phase {
    QUEUED,
    /** Guards are being passed, or a head is being judged: nobody else may settle now. */
    BUSY,
    RUNNING,
    HEAD,
    COMPLETED,
    TIMED_OUT,
    CANCELLED,
    REFUSED,
    REJECTED;

    boolean open() {
      return this == QUEUED || this == RUNNING || this == HEAD;
    }
  }

  private final RetryLoop<R> loop;
  private final int number;
  private volatile Phase phase = Phase.QUEUED;

  // Whoever comes second, the return of start() or the end, goes on with the operation.
  @SuppressWarnings("UnusedVariable") // by HANDED_OVER
  private volatile int handedOver; // 1 once one of them has come

  // What came while the attempt was BUSY; whoever made it so goes on with it.
  private volatile @Nullable Phase lateEnd;
  private volatile @Nullable Completion<R> lateCompletion;
  private volatile @Nullable Runnable canceller;
  private volatile @Nullable AttemptTimer timer;
  private volatile @Nullable Throwable userFailure;
  private volatile @Nullable Throwable refusal; // the reason of REFUSED and REJECTED

  // Written before the hand-over by whoever settled, read after it.
  private boolean began;
  private boolean recorded;
  private @Nullable R response;
  private @Nullable Throwable failure;
  private @Nullable Outcome headOutcome;
  private @Nullable RetryDecision headDecision;
  private Permits permits = Permits.none();

  /** What {@link #complete} was given while the attempt was BUSY. */
  private record Completion<R>(@Nullable R response, @Nullable Throwable failure) {}

  Attempt(RetryLoop<R> loop, int number) {
    this.loop = loop;
    this.number = number;
  }

  /** An attempt that is over: the first one of work, which is made before there is a loop. */
  static <R> Attempt<R> completed(
      RetryLoop<R> loop, @Nullable R response, @Nullable Throwable failure) {
    Attempt<R> attempt = new Attempt<>(loop, 1);
    attempt.began = true;
    attempt.response = response;
    attempt.failure = failure;
    attempt.phase = Phase.COMPLETED;
    return attempt;
  }

  Operation<R> operation() {
    return loop.operation();
  }

  /**
   * The number of this attempt.
   *
   * @return 1 for the first
   */
  public int number() {
    return number;
  }

  /**
   * The time this attempt may take from now on; for clients that bound themselves.
   *
   * @return nanoseconds, 0 if none is left; {@link Long#MAX_VALUE} for no bound
   */
  public long timeoutNanos() {
    return operation().attemptTimeoutNanos(number);
  }

  /**
   * Called when the attempt leaves the client's own queue, before anything is sent: passes the
   * guards and starts the attempt's time.
   *
   * @param request what is sent
   * @return false if the attempt is over already; then nothing may be sent
   */
  public boolean begin(Object request) {
    if (!PHASE.compareAndSet(this, Phase.QUEUED, Phase.BUSY)) {
      return false;
    }
    replaceTimer(null);
    try {
      permits = operation().admit();
    } catch (Throwable refused) {
      return fail(Phase.REFUSED, refused);
    }
    try {
      startTimer(Phase.RUNNING, operation().timerNanos(number));
    } catch (RejectedExecutionException rejected) {
      return fail(Phase.REJECTED, rejected);
    }
    began = true;
    operation().attemptBegan(number, request);
    return reopen(Phase.RUNNING);
  }

  /**
   * Sets what stops the attempt on the wire. Runs at once if the attempt was stopped already.
   *
   * @param canceller stops the attempt; may be called from any thread, and more than once
   */
  public void onCancel(Runnable canceller) {
    this.canceller = canceller;
    if (stopped()) {
      stopOnTheWire();
    }
  }

  // Whatever it throws, the operation must go on, or end.
  private void stopOnTheWire() {
    Runnable stop = canceller;
    try {
      if (stop != null) {
        stop.run();
      }
    } catch (Throwable broken) {
      LOG.warn("an attempt could not be stopped; the operation goes on without it", broken);
    }
  }

  /**
   * Whether the timer, its rejection or a cancellation ended this attempt.
   *
   * @return true if the exception that the client throws now is not the client's own
   */
  public boolean stopped() {
    Phase now = phase;
    return now == Phase.TIMED_OUT || now == Phase.CANCELLED || now == Phase.REJECTED;
  }

  /**
   * Judges a response by its head, where the client shows the head before the body is collected.
   * Afterwards the attempt's own timeout no longer runs, the operation's deadline does.
   *
   * @param head the response, as far as it is known; passed to {@link Exchange#outcome(Object)}
   * @return true if the response is for the caller; false if its body is to be discarded
   */
  public boolean head(R head) {
    if (!PHASE.compareAndSet(this, Phase.RUNNING, Phase.BUSY)) {
      return false;
    }
    // The deadline's timer goes on; the attempt's own ends here.
    AttemptTimer running = timer;
    AttemptTimer ofDeadline = running != null && running.ofDeadline() ? running : null;
    if (ofDeadline == null) {
      replaceTimer(null);
    }
    boolean delivers = false;
    try {
      Outcome outcome = operation().outcomeAtHead(this, head);
      headOutcome = outcome;
      if (!(outcome.verdict() instanceof Verdict.Accepted)) {
        headDecision = operation().decide(this, outcome, head, null);
      }
      delivers = !(headDecision instanceof RetryDecision.Retry);
    } catch (Throwable thrown) {
      userFailure = thrown;
    }
    try {
      if (ofDeadline != null) {
        ofDeadline.guard(Phase.HEAD); // before the phase: one that is due now is seen then
      } else {
        startTimer(Phase.HEAD, operation().remainingNanos());
      }
    } catch (RejectedExecutionException rejected) {
      refusal = rejected;
      lateEnd = Phase.REJECTED;
    }
    return reopen(Phase.HEAD) && delivers;
  }

  /**
   * The attempt failed because a function of the user's threw, which no retry can mend. Call {@link
   * #complete} all the same.
   *
   * @param thrown what it threw
   */
  public void userCodeFailed(Throwable thrown) {
    userFailure = thrown;
  }

  /**
   * The attempt is over. Exactly one of the arguments is given. A response that comes too late is
   * discarded.
   *
   * @param response the response
   * @param failure the failure
   */
  public void complete(@Nullable R response, @Nullable Throwable failure) {
    Phase now = phase;
    while (now.open() || now == Phase.BUSY) {
      if (now == Phase.BUSY) {
        if (leftToWhoeverIsBusy(new Completion<>(response, failure))) {
          return;
        }
      } else if (PHASE.compareAndSet(this, now, Phase.COMPLETED)) {
        replaceTimer(null);
        this.response = response;
        this.failure = failure;
        handOver();
        return;
      }
      now = phase;
    }
    if (response != null) {
      loop.discard(response);
    }
  }

  // A client may give up, by a timeout of its own, while the head is still being judged.
  private boolean leftToWhoeverIsBusy(Completion<R> completion) {
    lateCompletion = completion;
    return phase == Phase.BUSY || !LATE_COMPLETION.compareAndSet(this, completion, null);
  }

  /** Ends the attempt from outside. */
  void cancel() {
    end(Phase.CANCELLED, null);
  }

  void end(Phase end, @Nullable Phase guarded) {
    if (!claim(end, guarded)) {
      return;
    }
    replaceTimer(null);
    stopOnTheWire();
    if (loop.blocking()) {
      return; // the calling thread is in the wire, which lets go of it now
    }
    if (end == Phase.CANCELLED) {
      loop.execute(this::handOver);
    } else {
      handOver();
    }
  }

  /** Claims the end. A timer may end the phase that it guards and no other. */
  private boolean claim(Phase end, @Nullable Phase guarded) {
    while (true) {
      Phase now = phase;
      if (now == Phase.BUSY) {
        if (guarded == null) {
          lateEnd = end;
        }
        if (phase == Phase.BUSY) {
          return false; // whoever is busy sees it
        }
      } else if (!now.open() || (guarded != null && guarded != now)) {
        return false;
      } else if (PHASE.compareAndSet(this, now, end)) {
        return true;
      }
    }
  }

  /** The deadline holds in the client's queue too. */
  void startQueueTimer() {
    long nanos = phase == Phase.QUEUED ? operation().remainingNanos() : Long.MAX_VALUE;
    if (nanos == Long.MAX_VALUE) {
      return;
    }
    AttemptTimer queued = AttemptTimer.ofDeadline(this, Phase.QUEUED, nanos);
    if (TIMER.compareAndSet(this, null, queued)) {
      queued.startOrEnd(nanos);
      if (phase != Phase.QUEUED) {
        queued.stop();
      }
    }
  }

  private boolean fail(Phase end, Throwable reason) {
    replaceTimer(null);
    refusal = reason;
    phase = end;
    handOver();
    return false;
  }

  private boolean reopen(Phase open) {
    phase = open;
    AttemptTimer running = timer;
    Phase late = lateEnd;
    if (late != null) {
      end(late, null);
    } else if (running != null && running.due()) {
      end(Phase.TIMED_OUT, running.guarded());
    }
    Completion<R> completion = lateCompletion;
    if (completion != null && LATE_COMPLETION.compareAndSet(this, completion, null)) {
      complete(completion.response(), completion.failure());
    }
    return phase == open;
  }

  private void startTimer(Phase guarded, long nanos) {
    if (nanos == Long.MAX_VALUE) {
      return;
    }
    AttemptTimer next =
        operation().attemptEndsAtDeadline(number)
            ? AttemptTimer.ofDeadline(this, guarded, nanos)
            : AttemptTimer.ofAttempt(this, guarded, nanos);
    replaceTimer(next);
    next.start(nanos);
  }

  private void replaceTimer(@Nullable AttemptTimer next) {
    AttemptTimer running = TIMER.getAndSet(this, next);
    if (running != null) {
      running.stop();
    }
  }

  /** Without a timer the attempt might never end, so it does not go on. */
  void timerRejected(RejectedExecutionException reason) {
    refusal = reason;
    end(Phase.REJECTED, null);
  }

  private void handOver() {
    if (!HANDED_OVER.compareAndSet(this, 0, 1)) {
      loop.goOn(this);
    }
  }

  /** Called once when {@link Exchange#start} has returned: whether the attempt is over. */
  boolean overOnReturn() {
    return loop.blocking() || !HANDED_OVER.compareAndSet(this, 0, 1);
  }

  OperationInfo info() {
    return operation().info();
  }

  void recorded() {
    recorded = true;
  }

  boolean began() {
    return began;
  }

  boolean toBeRecorded() {
    return began && !recorded;
  }

  Phase phase() {
    return phase;
  }

  @Nullable R response() {
    return response;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  @Nullable Throwable refusal() {
    return refusal;
  }

  @Nullable Throwable userFailure() {
    return userFailure;
  }

  @Nullable Outcome headOutcome() {
    return headOutcome;
  }

  @Nullable RetryDecision headDecision() {
    return headDecision;
  }

  Permits permits() {
    return permits;
  }
}
