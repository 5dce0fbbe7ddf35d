package dev.steadfast.retry.engine;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.Verdict;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An attempt, with the answer or failure that ended it. {@link NextStep} says what follows.
 *
 * @param <R> the response
 */
final class AttemptRun<R> extends AttemptSettlement<R> implements Attempt<R>, CancellableStep {
  @SuppressWarnings("rawtypes") // an updater knows the class of the field and no more
  private static final AtomicIntegerFieldUpdater<AttemptRun> MEETING =
      AtomicIntegerFieldUpdater.newUpdater(AttemptRun.class, "meeting");

  private final Driver<R> driver;
  private final int number;

  // start() returns on one thread, and the attempt may end on another. The later of the two
  // continues the operation. If the client queues the attempt, its end waits for start() only if it
  // comes on the same thread.
  private static final int NONE_CAME = 0;
  private static final int QUEUED = 1; // by the thread of start()
  private static final int CAME_FIRST = 2; // the return or the end
  private static final int END_WENT_ON = 3; // without waiting for start()

  private volatile int meeting = NONE_CAME;
  private @Nullable Thread queuedBy; // written before QUEUED

  private volatile @Nullable Throwable userFailure;
  private volatile @Nullable OtherPath otherPath;

  // Written by the thread that settles the attempt; read after the hand-over, or in a blocking
  // operation after the wait for that thread.
  private @Nullable R response;
  private @Nullable Throwable failure; // also the reason of REFUSED and REJECTED
  private volatile boolean headCame; // and the client waits for no other one
  private @Nullable Outcome acceptedHead; // this or the decision, once judged
  private @Nullable RetryDecision decisionOnHead; // or to put the attempt off

  AttemptRun(Driver<R> driver, int number) {
    this(driver, number, Phase.QUEUED);
  }

  private AttemptRun(Driver<R> driver, int number, Phase phase) {
    super(phase);
    this.driver = driver;
    this.number = number;
  }

  /** An attempt that is over: the first one of a {@code Retrier}, made before there is a loop. */
  static <R> AttemptRun<R> completed(
      Driver<R> driver, @Nullable R response, @Nullable Throwable failure) {
    AttemptRun<R> attempt = new AttemptRun<>(driver, 1, Phase.COMPLETED);
    attempt.endedWith(response, failure);
    return attempt;
  }

  @Override
  Operation<R> operation() {
    return driver.operation();
  }

  @Override
  public boolean blocking() {
    return driver.blocking();
  }

  @Override
  boolean waits() {
    return blocking();
  }

  // Questions of a transport.

  @Override
  public OperationInfo info() {
    return operation().info();
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public long ownTimeoutNanos() {
    return operation().state().ownTimeoutNanos(number);
  }

  @Override
  public @Nullable TimeUp timeUp() {
    return timeUp(headCame ? Long.MAX_VALUE : ownTimeoutNanos());
  }

  @Override
  public Runnable restoreContext() {
    return driver.restoreContext();
  }

  @Override
  public Runnable enter() {
    return operation().enterAttempt(number, restoreContext());
  }

  @Override
  public boolean stopped() {
    return phase().stopped();
  }

  // News from a transport.

  @Override
  public boolean queued() {
    if (!blocking()) {
      queuedBy = Thread.currentThread();
      if (!MEETING.compareAndSet(this, NONE_CAME, QUEUED)) {
        return false;
      }
    }
    watch();
    return phase() == Phase.QUEUED;
  }

  @Override
  public void takes(OtherPath why) {
    otherPath = why;
  }

  @Override
  public boolean putOff(long nanos) {
    if (!busyAfter(Phase.QUEUED)) {
      return false;
    }
    decisionOnHead = Decisions.retry(nanos, DelayReason.BACKOFF);
    fail(Phase.PUT_OFF, null);
    return true;
  }

  @Override
  public void extendBound(long boundNanos) {
    operation().extendBound(boundNanos);
  }

  @Override
  public boolean begin(Object request) {
    if (!busyAfter(Phase.QUEUED)) {
      return false;
    }
    Phase next = Phase.REJECTED; // where the next step throws
    Throwable reason = null;
    try {
      if (isTimeUp(Phase.QUEUED)) {
        next = Phase.TIMED_OUT; // the timer is late
      } else {
        next = Phase.REFUSED;
        operation().admit();
        next = Phase.REJECTED;
        beginNow(request);
        next = Phase.RUNNING;
      }
    } catch (Throwable thrown) {
      reason = thrown;
      if (next == Phase.REJECTED && !(thrown instanceof RejectedExecutionException)) {
        userFailure = thrown;
      }
    }
    if (next == Phase.RUNNING) {
      return reopen(next);
    }
    fail(next, reason);
    return false;
  }

  private void beginNow(Object request) {
    long now = operation().now();
    timeBegins(now);
    setTimer(now, Phase.RUNNING);
    operation().attemptBegan(number, request, otherPath, now);
    if (isTimeUp(Phase.RUNNING)) {
      lookWhenReopened(); // a guard or a listener took long
    }
  }

  private boolean isTimeUp(Phase open) {
    return !operation().transport().boundsAttempts() && leftNanos(open, operation().now()) == 0;
  }

  @Override
  public void bodyStarted() {
    if (!sendingBody()) {
      bodyBegins(operation().now());
      watch();
    }
  }

  @Override
  public void bodyEnded() {
    if (sendingBody()) {
      bodyEnds(operation().now());
      watch();
    }
  }

  @Override
  public boolean head(R head) {
    return atHead(head, this::judge);
  }

  @Override
  public boolean peek(R head) {
    return atHead(
        head, peeked -> !(operation().verdictAtHead(peeked) instanceof Verdict.Retryable));
  }

  private boolean atHead(R head, Predicate<R> judge) {
    if (!busyAfter(Phase.RUNNING) && !busyAfter(Phase.HEAD)) {
      return false;
    }
    boolean delivers = false;
    Runnable undo = restoreContext(); // for the listeners, which may run on the client's thread
    try {
      addBodyTime();
      timeAtHead();
      delivers = judge.test(head);
    } catch (Throwable thrown) {
      userFailure = thrown;
    } finally {
      undo.run();
    }
    headCame = true;
    watchPhase(Phase.HEAD);
    return reopen(Phase.HEAD) && delivers;
  }

  private boolean judge(R head) {
    Outcome outcome = operation().outcomeAtHead(head);
    boolean accepted = outcome.verdict() instanceof Verdict.Accepted;
    if (accepted) {
      acceptedHead = outcome;
    } else {
      decisionOnHead = operation().decide(outcome, head, null);
    }
    return !(decisionOnHead instanceof RetryDecision.Retry);
  }

  @Override
  public void awaitsHead() {
    if (!busyAfter(Phase.HEAD)) {
      return;
    }
    if (acceptedHead != null || decisionOnHead != null) {
      reopen(Phase.HEAD); // what follows is decided
      return;
    }
    headCame = false;
    timeBegins(operation().now());
    watchPhase(Phase.RUNNING);
    reopen(Phase.RUNNING);
  }

  @Override
  public void userCodeFailed(Throwable thrown) {
    if (!stopped()) {
      userFailure = thrown;
    }
  }

  @Override
  public void cancel() {
    end(Phase.CANCELLED, null);
  }

  @Override
  void endedWith(@Nullable R response, @Nullable Throwable failure) {
    this.response = response;
    this.failure = failure;
  }

  @Override
  void handOver() {
    boolean started = !MEETING.compareAndSet(this, NONE_CAME, CAME_FIRST);
    if (started && meeting == QUEUED) {
      boolean here = Thread.currentThread().equals(queuedBy);
      started = !MEETING.compareAndSet(this, QUEUED, here ? CAME_FIRST : END_WENT_ON) || !here;
    }
    if (started) {
      driver.goOn(this);
    }
  }

  /** Called once when {@link RetryTransport#start} has returned: whether the attempt is over. */
  boolean overOnReturn() {
    if (blocking()) {
      awaitEnd();
      return true;
    }
    boolean first =
        MEETING.compareAndSet(this, NONE_CAME, CAME_FIRST)
            || MEETING.compareAndSet(this, QUEUED, CAME_FIRST);
    return !first && meeting == CAME_FIRST;
  }

  // Calls of the loop.

  /** Adds what request bodies took to the operation's total timeout. */
  void addBodyTime() {
    bodyEnded();
    operation().state().extendTotalTimeout(takeBodyNanos());
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

  @Nullable Outcome outcomeOfHead() {
    return acceptedHead;
  }

  @Nullable RetryDecision decisionOnHead() {
    return decisionOnHead;
  }
}
