package dev.steadfast.retry;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

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
  private final Operation<R> operation;
  private final int number;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.QUEUED);
  // Whoever comes second, the return of start() or the end, goes on with the operation.
  private final AtomicReference<@Nullable Boolean> handOver = new AtomicReference<>();

  private volatile @Nullable Phase lateEnd; // an end that came while the attempt was BUSY
  private volatile @Nullable Runnable canceller;
  private volatile @Nullable Timer timer; // set by whoever owns the phase
  private volatile @Nullable Timer queueTimer; // set by whoever started the attempt, at any time
  private volatile @Nullable Throwable userFailure;

  // Written before the hand-over by whoever settled, read after it.
  private boolean began;
  private boolean recorded;
  private @Nullable R response;
  private @Nullable Throwable failure;
  private @Nullable Verdict headVerdict;
  private @Nullable RetryDecision headDecision;
  private Permits permits = Permits.none();

  Attempt(RetryLoop<R> loop, Operation<R> operation, int number) {
    this.loop = loop;
    this.operation = operation;
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
    return operation.attemptTimeoutNanos(number);
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
    stopTimer();
    try {
      permits = operation.admit();
    } catch (Throwable refused) {
      return fail(Phase.REFUSED, refused);
    }
    try {
      startTimer(operation.timerNanos(number));
    } catch (RejectedExecutionException rejected) {
      return fail(Phase.REJECTED, rejected);
    }
    began = true;
    operation.attemptBegan(number, request);
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
      canceller.run();
    }
  }

  /**
   * Whether the timer or a cancellation ended this attempt.
   *
   * @return true if the exception that the client throws now is not the client's own
   */
  public boolean stopped() {
    Phase now = phase.get();
    return now == Phase.TIMED_OUT || now == Phase.CANCELLED;
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
    stopTimer();
    boolean delivers = false;
    try {
      headVerdict = operation.judgeHead(this, head);
      if (!(headVerdict instanceof Verdict.Accepted)) {
        headDecision = operation.decide(this, headVerdict, head, null);
      }
      delivers = !(headDecision instanceof RetryDecision.Retry);
      startTimer(operation.remainingNanos());
    } catch (Throwable thrown) {
      userFailure = thrown;
      delivers = false;
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
    Phase now = phase.get();
    while (now.open()) {
      if (phase.compareAndSet(now, Phase.COMPLETED)) {
        stopTimer();
        this.response = response;
        this.failure = failure;
        handOver();
        return;
      }
      now = phase.get();
    }
    if (response != null) {
      loop.discard(response);
    }
  }

  /** Ends the attempt from outside. */
  void end(Phase end) {
    if (!claim(end)) {
      return;
    }
    stopTimer();
    Runnable stop = canceller;
    if (stop != null) {
      stop.run();
    }
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
    long nanos = operation.remainingNanos();
    if (nanos == Long.MAX_VALUE || phase.get() != Phase.QUEUED) {
      return;
    }
    Timer next = new Timer(Phase.QUEUED, operation.now() + nanos);
    queueTimer = next;
    next.start(nanos);
    if (phase.get() != Phase.QUEUED) {
      next.stop(); // the attempt left the queue meanwhile, and may have missed it
    }
  }

  private boolean fail(Phase end, Throwable reason) {
    stopTimer();
    failure = reason;
    phase.set(end);
    handOver();
    return false;
  }

  private boolean reopen(Phase open) {
    phase.set(open);
    Phase late = lateEnd;
    if (late != null) {
      end(late);
    }
    return phase.get() == open;
  }

  private void startTimer(long nanos) {
    if (nanos == Long.MAX_VALUE) {
      return;
    }
    Timer next = new Timer(phase.get(), operation.now() + nanos);
    timer = next;
    next.start(nanos);
  }

  private void stopTimer() {
    Timer waiting = queueTimer;
    if (waiting != null) {
      waiting.stop();
    }
    Timer running = timer;
    timer = null;
    if (running != null) {
      running.stop();
    }
  }

  /** Ends the attempt when its time is up, unless it was stopped or another one took its place. */
  private final class Timer implements Runnable {
    private final Phase startedIn;
    private final long dueNanos;
    private volatile RetryScheduler.@Nullable Task task;
    private volatile boolean stopped;

    Timer(Phase startedIn, long dueNanos) {
      this.startedIn = startedIn;
      this.dueNanos = dueNanos;
    }

    void start(long nanos) {
      task = operation.scheduler().schedule(nanos, this);
      if (stopped) {
        stop();
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
      long early = dueNanos - operation.now();
      if (early > 0) {
        start(early);
      } else if (startedIn != Phase.QUEUED || phase.get() == Phase.QUEUED) {
        end(Phase.TIMED_OUT);
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

  boolean began() {
    return began;
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
