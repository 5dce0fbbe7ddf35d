package dev.steadfast.retry;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
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
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.QUEUED);
  // Whoever comes second, the return of start() or the end, goes on with the operation.
  private final AtomicReference<@Nullable Boolean> handOver = new AtomicReference<>();

  // What came while the attempt was BUSY; whoever made it so goes on with it.
  private volatile @Nullable Phase lateEnd;
  private final AtomicReference<@Nullable Runnable> lateCompletion = new AtomicReference<>();

  private volatile @Nullable Runnable canceller;
  private volatile @Nullable Timer queueTimer;
  private volatile @Nullable Timer timer;
  private volatile @Nullable Throwable userFailure;
  private volatile @Nullable Throwable refusal; // the reason of REFUSED and REJECTED

  // Written before the hand-over by whoever settled, read after it.
  private boolean began;
  private boolean recorded;
  private @Nullable R response;
  private @Nullable Throwable failure;
  private @Nullable Verdict headVerdict;
  private @Nullable RetryDecision headDecision;
  private Permits permits = Permits.none();

  Attempt(RetryLoop<R> loop, int number) {
    this.loop = loop;
    this.number = number;
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
    return loop.attemptTimeoutNanos(number);
  }

  /**
   * Called when the attempt leaves the client's own queue, before anything is sent: passes the
   * guards and starts the attempt's time.
   *
   * @param request what is sent
   * @return false if the attempt is over already; then nothing may be sent
   */
  public boolean begin(Object request) {
    if (!phase.compareAndSet(Phase.QUEUED, Phase.BUSY)) {
      return false;
    }
    stop(queueTimer);
    try {
      permits = loop.admit();
    } catch (Throwable refused) {
      return fail(Phase.REFUSED, refused);
    }
    try {
      startTimer(Phase.RUNNING, loop.timerNanos(number));
    } catch (RejectedExecutionException rejected) {
      return fail(Phase.REJECTED, rejected);
    }
    began = true;
    loop.attemptBegan(this, request);
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
   * Whether the timer or a cancellation ended this attempt.
   *
   * @return true if the exception that the client throws now is not the client's own
   */
  public boolean stopped() {
    Phase now = phase.get();
    return now == Phase.TIMED_OUT || now == Phase.CANCELLED || now == Phase.REJECTED;
  }

  /**
   * Judges a response by its head, where the client shows the head before the body is collected.
   * Afterwards the attempt's own timeout no longer runs, the operation's deadline does.
   *
   * @param head the response, as far as it is known; passed to {@link Exchange#judge(Object)}
   * @return true if the response is for the caller; false if its body is to be discarded
   */
  public boolean head(R head) {
    if (!phase.compareAndSet(Phase.RUNNING, Phase.BUSY)) {
      return false;
    }
    stop(timer);
    boolean delivers = false;
    try {
      headVerdict = loop.judgeHead(this, head);
      if (!(headVerdict instanceof Verdict.Accepted)) {
        headDecision = loop.decideAtHead(this, headVerdict, head);
      }
      delivers = !(headDecision instanceof RetryDecision.Retry);
    } catch (Throwable thrown) {
      userFailure = thrown;
    }
    try {
      startTimer(Phase.HEAD, loop.remainingNanos());
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
    while (true) {
      Phase now = phase.get();
      if (now == Phase.BUSY) {
        Runnable again = () -> complete(response, failure);
        lateCompletion.set(again);
        if (phase.get() == Phase.BUSY || !lateCompletion.compareAndSet(again, null)) {
          return;
        }
      } else if (!now.open()) {
        break;
      } else if (phase.compareAndSet(now, Phase.COMPLETED)) {
        stopTimers();
        this.response = response;
        this.failure = failure;
        handOver();
        return;
      }
    }
    if (response != null) {
      loop.discard(response);
    }
  }

  /** Ends the attempt from outside. */
  void end(Phase end) {
    if (claim(end)) {
      ended(end);
    }
  }

  private void ended(Phase end) {
    stopTimers();
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

  private boolean claim(Phase end) {
    while (true) {
      Phase now = phase.get();
      if (now == Phase.BUSY) {
        lateEnd = end;
        if (phase.get() == Phase.BUSY) {
          return false; // whoever is busy sees it
        }
      } else if (!now.open()) {
        return false;
      } else if (phase.compareAndSet(now, end)) {
        return true;
      }
    }
  }

  /** The deadline holds in the client's queue too. */
  void startQueueTimer() {
    long nanos = loop.remainingNanos();
    if (phase.get() != Phase.QUEUED || nanos == Long.MAX_VALUE) {
      return;
    }
    Timer inQueue = new Timer(Phase.QUEUED, loop.now() + nanos);
    queueTimer = inQueue;
    inQueue.start(nanos);
    if (phase.get() != Phase.QUEUED) {
      inQueue.stop(); // the attempt left the queue meanwhile, and may have missed it
    }
  }

  private boolean fail(Phase end, Throwable reason) {
    refusal = reason;
    phase.set(end);
    handOver();
    return false;
  }

  private boolean reopen(Phase open) {
    phase.set(open);
    Timer running = timer;
    if (running != null && running.due) {
      timeOut(running);
    }
    Phase late = lateEnd;
    if (late != null) {
      end(late);
    }
    Runnable completion = lateCompletion.getAndSet(null);
    if (completion != null) {
      completion.run();
    }
    return phase.get() == open;
  }

  private void startTimer(Phase endsIn, long nanos) {
    timer = null;
    if (nanos != Long.MAX_VALUE) {
      Timer next = new Timer(endsIn, loop.now() + nanos);
      timer = next;
      next.schedule(nanos);
    }
  }

  private void stopTimers() {
    stop(queueTimer);
    stop(timer);
  }

  private void stop(@Nullable Timer running) {
    if (running != null) {
      running.stop();
    }
  }

  // A timer ends its own part of the attempt and no later one, however late it comes.
  private void timeOut(Timer due) {
    if (phase.compareAndSet(due.endsIn, Phase.TIMED_OUT)) {
      ended(Phase.TIMED_OUT);
    }
  }

  /** Ends one part of the attempt, its wait in the queue, its head or its body, in time. */
  private final class Timer implements Runnable {
    private final Phase endsIn;
    private final long dueNanos;
    private volatile RetryScheduler.@Nullable Task task;
    private volatile boolean stopped;
    private volatile boolean due;

    Timer(Phase endsIn, long dueNanos) {
      this.endsIn = endsIn;
      this.dueNanos = dueNanos;
    }

    void schedule(long nanos) {
      task = loop.schedule(nanos, this);
      if (stopped) {
        stop();
      }
    }

    /** Without a timer the attempt might never end, so it does not go on. */
    void start(long nanos) {
      try {
        schedule(nanos);
      } catch (RejectedExecutionException rejected) {
        refusal = rejected;
        end(Phase.REJECTED);
      }
    }

    void stop() {
      stopped = true;
      RetryScheduler.Task scheduled = task;
      if (scheduled != null) {
        scheduled.cancel();
      }
    }

    @Override
    public void run() {
      if (stopped) {
        return;
      }
      long early = dueNanos - loop.now();
      if (early > 0) {
        start(early);
      } else {
        due = true;
        timeOut(this);
      }
    }
  }

  private void handOver() {
    if (!handOver.compareAndSet(null, Boolean.TRUE)) {
      loop.goOn(this);
    }
  }

  /** Called once when {@link Exchange#start} has returned: whether the attempt is over. */
  boolean overOnReturn() {
    return loop.blocking() || !handOver.compareAndSet(null, Boolean.FALSE);
  }

  void recorded() {
    recorded = true;
  }

  /** Counts an attempt that failed before it left the client's queue. */
  void countUnbegun(Object request) {
    if (!began) {
      began = true;
      loop.attemptBegan(this, request);
    }
  }

  boolean toBeRecorded() {
    return began && !recorded;
  }

  Phase phase() {
    return phase.get();
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

  @Nullable Verdict headVerdict() {
    return headVerdict;
  }

  @Nullable RetryDecision headDecision() {
    return headDecision;
  }

  Permits permits() {
    return permits;
  }
}
