package dev.steadfast.retry.engine;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Verdict;
import java.util.concurrent.CountDownLatch;
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

  // start() returns on one thread, and the attempt may end on another. The later of the two goes on
  // with the operation. The end of an attempt that its client queues waits for start() only if it
  // comes on the same thread.
  private static final int QUEUED = 1;
  private static final int ONE_CAME = 2;
  private static final int END_WENT_ON = 3;
  private volatile int handedOver;
  private @Nullable Thread queuedBy;

  // What came while the attempt was BUSY. The thread that made it BUSY handles it.
  private volatile @Nullable Phase lateEnd;
  private volatile @Nullable Completion<R> lateCompletion;
  private volatile boolean timeToBeLookedAt;
  private volatile @Nullable CountDownLatch settledByJudge; // null: nobody waits for that
  private volatile @Nullable Runnable canceller;
  private volatile @Nullable AttemptTimer timer;

  // Time. While the request body is sent, neither the total timeout nor the client's default runs.
  private long beganNanos;
  private long bodyStartedNanos;
  private long bodyEndedNanos;
  private long bodyNanos; // how long bodies took; not yet added to the total timeout
  private volatile boolean sendingBody;
  private volatile boolean totalTimeoutOver; // at the head: the body is not bounded by it
  private volatile @Nullable Throwable userFailure;
  private volatile @Nullable Throwable refusal; // the reason of REFUSED and REJECTED

  // Written before the hand-over by the thread that settles the attempt, read after it.
  private boolean began;
  private boolean recorded;
  private @Nullable R response;
  private @Nullable Throwable failure;
  private @Nullable Outcome headOutcome;
  private @Nullable RetryDecision headDecision;
  private GuardPermits permits = GuardPermits.none();

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
    return Math.min(operation().ownTimeoutNanos(number), remainingNanos());
  }

  /**
   * The attempt timeout that the policy sets, from the beginning of the attempt to the head.
   *
   * @return nanoseconds; {@link Long#MAX_VALUE} for none
   */
  public long ownTimeoutNanos() {
    return operation().ownTimeoutNanos(number);
  }

  /**
   * The time until the operation's deadline; for clients that bound themselves.
   *
   * @return nanoseconds, 0 if none is left; {@link Long#MAX_VALUE} for no bound, also while a
   *     request body is sent and nothing but the total timeout bounds the operation
   */
  public long remainingNanos() {
    Operation<R> of = operation();
    if (!of.bounded()) {
      return Long.MAX_VALUE; // saves reading the clock
    }
    long now = of.now();
    long bound = of.remainingBoundNanos(now);
    return sendingBody || totalTimeoutOver
        ? bound
        : Math.min(bound, of.remainingTotalNanos(now - bodyNanos));
  }

  /**
   * Called within {@link RetryTransport#start} right before the attempt goes into a queue of the
   * client's whose executor may keep the calling thread. From now on the operation's deadline
   * holds, and the end of the attempt does not wait for the return of {@code start}. Not for
   * blocking operations.
   *
   * @return false if the attempt is over already; then nothing may be queued
   */
  public boolean queued() {
    queuedBy = Thread.currentThread();
    if (!HANDED_OVER.compareAndSet(this, 0, QUEUED)) {
      return false;
    }
    if (phase == Phase.QUEUED) {
      try {
        setTimer(operation().now(), Phase.QUEUED);
      } catch (Throwable rejected) {
        timerRejected(rejected);
      }
    }
    return phase == Phase.QUEUED;
  }

  /**
   * Puts a longer bound in the place of the one that the operation began with: a part of that was
   * taken back. May come from any thread; the policy's total timeout stays as it is.
   *
   * @param boundNanos the bound from now on; {@link Long#MAX_VALUE} for none
   */
  public void extendBound(long boundNanos) {
    operation().extendBound(boundNanos);
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
    try {
      permits = operation().admit();
    } catch (Throwable refused) {
      return fail(Phase.REFUSED, refused);
    }
    try {
      long now = operation().now();
      beganNanos = now;
      bodyEndedNanos = now;
      setTimer(now, Phase.RUNNING);
      began = true;
      operation().attemptBegan(number, request, now);
    } catch (RejectedExecutionException rejected) {
      return fail(Phase.REJECTED, rejected);
    } catch (Throwable broken) {
      userFailure = broken;
      return fail(Phase.REJECTED, broken);
    }
    return reopen(Phase.RUNNING);
  }

  /**
   * The client begins to send a request body. The total timeout does not run until {@link
   * #bodyEnded}; an attempt timeout that the policy sets does.
   */
  public void bodyStarted() {
    if (!sendingBody) {
      bodyStartedNanos = operation().now();
      sendingBody = true;
    }
  }

  /** The last byte of a request body was sent, or the client has given up sending it. */
  public void bodyEnded() {
    if (!sendingBody) {
      return;
    }
    long now = operation().now();
    bodyNanos += now - bodyStartedNanos;
    bodyEndedNanos = now;
    sendingBody = false; // last: a thread that reads false sees the times above, too
    try {
      Phase open = phase;
      if (open.open()) {
        setTimer(now, open);
      }
    } catch (Throwable rejected) {
      timerRejected(rejected);
    }
  }

  /**
   * The response body is not bounded by the total timeout: the caller reads it, or its handler does
   * not collect it in memory. Called after {@link #head} returned true.
   */
  public void leaveBodyToCaller() {
    totalTimeoutOver = true;
  }

  /**
   * Restores the context of the thread that began the operation on this thread: its context class
   * loader, and what the configuration captures. Without effect in a blocking operation, which
   * never leaves its thread.
   *
   * @return undoes it; to be run on the same thread
   */
  public Runnable restoreContext() {
    return loop.restoreContext();
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

  // The client may throw here. The operation must go on or end all the same.
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
   * @param head the response, as far as it is known; passed to {@link
   *     RetryTransport#outcome(Object)}
   * @return true if the response is for the caller; false if its body is to be discarded
   */
  public boolean head(R head) {
    if (!PHASE.compareAndSet(this, Phase.RUNNING, Phase.BUSY)) {
      return false;
    }
    addBodyTime();
    boolean delivers = false;
    Runnable undo = loop.restoreContext(); // listeners are told, perhaps on the client's thread
    try {
      Outcome outcome = operation().outcomeAtHead(this, head);
      headOutcome = outcome;
      if (!(outcome.verdict() instanceof Verdict.Accepted)) {
        headDecision = operation().decide(this, outcome, head, null);
      }
      delivers = !(headDecision instanceof RetryDecision.Retry);
    } catch (Throwable thrown) {
      userFailure = thrown;
    } finally {
      undo.run();
    }
    try {
      setTimer(operation().now(), Phase.HEAD);
    } catch (Throwable rejected) {
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
          if (loop.blocking()) {
            awaitEnd();
          }
          return;
        }
      } else if (PHASE.compareAndSet(this, now, Phase.COMPLETED)) {
        stopTimer();
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

  /**
   * Waits for the thread that judges the head, and settles the attempt afterwards: the calling
   * thread of a blocking operation is out of the client already.
   */
  private void awaitEnd() {
    CountDownLatch waiting = new CountDownLatch(1);
    settledByJudge = waiting;
    boolean interrupted = false;
    while (waiting.getCount() > 0 && (phase.open() || phase == Phase.BUSY)) {
      try {
        waiting.await();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the attempt from outside. */
  void cancel() {
    end(Phase.CANCELLED, null);
  }

  private boolean end(Phase end, @Nullable Phase guarded) {
    if (!claim(end, guarded)) {
      return false;
    }
    stopTimer();
    stopOnTheWire();
    if (loop.blocking()) {
      return true; // the calling thread is in the wire, which lets go of it now
    }
    if (end == Phase.CANCELLED) {
      loop.execute(this::handOver);
    } else {
      handOver();
    }
    return true;
  }

  /** Claims the end. The timer may end the phase whose time is up and no other. */
  private boolean claim(Phase end, @Nullable Phase guarded) {
    while (true) {
      Phase now = phase;
      if (now == Phase.BUSY) {
        if (guarded == null) {
          lateEnd = end;
        }
        if (phase == Phase.BUSY) {
          return false; // the thread that is busy sees it
        }
      } else if (!now.open() || (guarded != null && guarded != now)) {
        return false;
      } else if (PHASE.compareAndSet(this, now, end)) {
        return true;
      }
    }
  }

  // Time.

  /** Called by the timer: ends the attempt if its time is up, sets the timer again if not. */
  void lookAtTime() {
    Phase now = phase;
    while (now.open() || now == Phase.BUSY) {
      if (now == Phase.BUSY) {
        timeToBeLookedAt = true;
        if (phase == Phase.BUSY) {
          return; // the thread that is busy looks
        }
      } else if (timeIsUp(now)) {
        return;
      }
      now = phase;
    }
  }

  /** Returns false if the attempt has moved on to another phase. */
  private boolean timeIsUp(Phase open) {
    try {
      long now = operation().now();
      long left = leftNanos(now, open);
      if (left == 0) {
        return end(Phase.TIMED_OUT, open);
      }
      setTimer(now, open);
    } catch (Throwable rejected) {
      timerRejected(rejected);
    }
    return true;
  }

  private long leftNanos(long nowNanos, Phase open) {
    long left = operation().remainingBoundNanos(nowNanos);
    boolean sending = sendingBody && open != Phase.HEAD;
    if (!sending && !(open == Phase.HEAD && totalTimeoutOver)) {
      left = Math.min(left, operation().remainingTotalNanos(nowNanos - bodyNanos));
    }
    if (sending || open == Phase.HEAD) {
      left = Math.min(left, operation().idleLeftNanos(nowNanos));
    }
    if (open == Phase.RUNNING) {
      left = Math.min(left, ownLeftNanos(nowNanos, sending));
    }
    return left;
  }

  private long ownLeftNanos(long nowNanos, boolean sending) {
    long own = operation().ownTimeoutNanos(number);
    if (own != Long.MAX_VALUE) {
      return Math.max(0, own - (nowNanos - beganNanos));
    }
    long untilHead = operation().headTimeoutNanos();
    return untilHead == Long.MAX_VALUE || sending
        ? Long.MAX_VALUE
        : Math.max(0, untilHead - (nowNanos - bodyEndedNanos));
  }

  /** Sets a timer for the end of the attempt's time, unless one is set that comes before. */
  private void setTimer(long nowNanos, Phase open) {
    if (!operation().setsTimers()) {
      return;
    }
    boolean sending;
    do {
      sending = sendingBody;
      replaceTimer(nowNanos, leftNanos(nowNanos, open));
    } while (sending != sendingBody); // the time that is left has changed meanwhile
  }

  private void replaceTimer(long nowNanos, long leftNanos) {
    AttemptTimer running = timer;
    if (leftNanos == Long.MAX_VALUE) {
      stop(running);
      return;
    }
    long due = nowNanos + leftNanos;
    if (running != null && running.comesBy(due)) {
      return;
    }
    AttemptTimer next = new AttemptTimer(this, due);
    if (!TIMER.compareAndSet(this, running, next)) {
      replaceTimer(nowNanos, leftNanos); // another thread has set one
      return;
    }
    stop(running);
    next.start(leftNanos);
    if (!phase.open() && phase != Phase.BUSY) {
      next.stop(); // the attempt has ended meanwhile
    }
  }

  private static void stop(@Nullable AttemptTimer running) {
    if (running != null) {
      running.stop();
    }
  }

  private void stopTimer() {
    stop(timer);
  }

  /** Adds what request bodies took to the operation's total timeout. */
  void addBodyTime() {
    bodyEnded();
    long took = bodyNanos;
    if (took > 0) {
      bodyNanos = 0;
      operation().extendTotalTimeout(took);
    }
  }

  private boolean fail(Phase end, Throwable reason) {
    stopTimer();
    refusal = reason;
    phase = end;
    handOver();
    return false;
  }

  private boolean reopen(Phase open) {
    phase = open;
    Phase late = lateEnd;
    if (late != null) {
      end(late, null);
    } else if (timeToBeLookedAt) {
      timeToBeLookedAt = false;
      lookAtTime();
    }
    Completion<R> completion = lateCompletion;
    if (completion != null && LATE_COMPLETION.compareAndSet(this, completion, null)) {
      complete(completion.response(), completion.failure());
    }
    CountDownLatch waiting = settledByJudge;
    if (waiting != null) {
      waiting.countDown();
    }
    return phase == open;
  }

  /** Without a timer the attempt might never end, so it does not go on. */
  private void timerRejected(Throwable reason) {
    if (!(reason instanceof RejectedExecutionException)) {
      userFailure = reason;
    }
    refusal = reason;
    end(Phase.REJECTED, null);
  }

  private void handOver() {
    boolean started = !HANDED_OVER.compareAndSet(this, 0, ONE_CAME);
    if (started && handedOver == QUEUED) {
      boolean here = Thread.currentThread().equals(queuedBy);
      int next = here ? ONE_CAME : END_WENT_ON;
      started = !HANDED_OVER.compareAndSet(this, QUEUED, next) || !here;
    }
    if (started) {
      loop.goOn(this);
    }
  }

  /** Called once when {@link RetryTransport#start} has returned: whether the attempt is over. */
  boolean overOnReturn() {
    if (loop.blocking()) {
      return true;
    }
    boolean first =
        HANDED_OVER.compareAndSet(this, 0, ONE_CAME)
            || HANDED_OVER.compareAndSet(this, QUEUED, ONE_CAME);
    return !first && handedOver == ONE_CAME;
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

  GuardPermits permits() {
    return permits;
  }
}
