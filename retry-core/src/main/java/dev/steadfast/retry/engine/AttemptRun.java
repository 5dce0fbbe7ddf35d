package dev.steadfast.retry.engine;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Verdict;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An attempt, with what it ended with. What settles it is its {@link AttemptRace}, what bounds it
 * are its {@link AttemptBounds}, and what follows it is for {@link AttemptEnd} to say.
 *
 * @param <R> the response
 */
final class AttemptRun<R> implements Attempt<R>, AttemptRacer<R>, UnderWay {
  @SuppressWarnings("rawtypes") // an updater knows the class of the field and no more
  private static final AtomicReferenceFieldUpdater<AttemptRun, @Nullable Object> MET_BY =
      AtomicReferenceFieldUpdater.newUpdater(AttemptRun.class, Object.class, "metBy");

  private final AttemptOwner<R> owner;
  private final int number;
  private final AttemptBounds bounds = new AttemptBounds();
  private final AttemptRace<R> race;

  // start() returns on one thread, and the attempt may end on another. The later of the two
  // continues the operation. If the client queues the attempt, its end waits for start() only if it
  // comes on the same thread. So this holds that thread, or a mark of the side that came first;
  // null if none has come.
  private volatile @Nullable Object metBy;

  private static final Object CAME_FIRST = new Object();
  private static final Object END_WENT_ON = new Object();

  private volatile @Nullable Throwable userFailure;

  // Written by the thread that settles the attempt; read after the hand-over, or in a blocking
  // operation after the wait for that thread.
  private @Nullable R response;
  private @Nullable Throwable failure; // also the reason of REFUSED and REJECTED
  private volatile boolean headCame; // and the client waits for no other one
  private @Nullable Object head; // the outcome if it is accepted, else the decision

  AttemptRun(AttemptOwner<R> owner, int number) {
    this(owner, number, AttemptPhase.QUEUED);
  }

  private AttemptRun(AttemptOwner<R> owner, int number, AttemptPhase phase) {
    this.owner = owner;
    this.number = number;
    this.race = new AttemptRace<>(this, phase);
  }

  /** An attempt that is over: the first one of work, which is made before there is a loop. */
  static <R> AttemptRun<R> completed(
      AttemptOwner<R> owner, @Nullable R response, @Nullable Throwable failure) {
    AttemptRun<R> attempt = new AttemptRun<>(owner, 1, AttemptPhase.COMPLETED);
    attempt.endWith(response, failure);
    return attempt;
  }

  @Override
  public Operation<R> operation() {
    return owner.operation();
  }

  @Override
  public boolean blocking() {
    return owner.blocking();
  }

  // What a transport asks.

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
  public long remainingNanos() {
    return bounds.remainingNanos(operation());
  }

  @Override
  public @Nullable TimeUp timeUp() {
    return bounds.timeUp(operation(), headCame ? Long.MAX_VALUE : ownTimeoutNanos());
  }

  @Override
  public Runnable restoreContext() {
    return owner.restoreContext();
  }

  @Override
  public Runnable enter() {
    return operation().enterAttempt(number, restoreContext());
  }

  @Override
  public boolean stopped() {
    return race.phase().stopped();
  }

  // What a transport tells.

  @Override
  public boolean queued() {
    if (!MET_BY.compareAndSet(this, null, Thread.currentThread())) {
      return false;
    }
    race.watch();
    return race.phase() == AttemptPhase.QUEUED;
  }

  @Override
  public void extendBound(long boundNanos) {
    operation().extendBound(boundNanos);
  }

  @Override
  public boolean begin(Object request) {
    if (!race.busyAfter(AttemptPhase.QUEUED)) {
      return false;
    }
    AttemptPhase next = AttemptPhase.REJECTED; // where the next step throws
    Throwable reason = null;
    try {
      if (isTimeUp(AttemptPhase.QUEUED)) {
        next = AttemptPhase.TIMED_OUT; // the timer is late
      } else {
        next = AttemptPhase.REFUSED;
        operation().admit();
        next = AttemptPhase.REJECTED;
        beginNow(request);
        next = AttemptPhase.RUNNING;
      }
    } catch (Throwable thrown) {
      reason = thrown;
      if (next == AttemptPhase.REJECTED && !(thrown instanceof RejectedExecutionException)) {
        userFailure = thrown;
      }
    }
    if (next == AttemptPhase.RUNNING) {
      return race.reopen(next);
    }
    race.fail(next, reason);
    return false;
  }

  private void beginNow(Object request) {
    long now = operation().now();
    bounds.begin(now);
    race.setTimer(now, AttemptPhase.RUNNING);
    operation().attemptBegan(number, request, now);
    if (isTimeUp(AttemptPhase.RUNNING)) {
      race.lookWhenReopened(); // a guard or a listener took long
    }
  }

  private boolean isTimeUp(AttemptPhase open) {
    return !operation().transport().boundsAttempts() && leftNanos(open, operation().now()) == 0;
  }

  @Override
  public void bodyStarted() {
    if (!bounds.sendingBody()) {
      bounds.bodyStarted(operation().now());
      race.watch();
    }
  }

  @Override
  public void bodyEnded() {
    if (bounds.sendingBody()) {
      bounds.bodyEnded(operation().now());
      race.watch();
    }
  }

  @Override
  public void leaveBodyToCaller() {
    bounds.leaveBodyToCaller();
  }

  @Override
  public void onCancel(Runnable canceller) {
    race.onCancel(canceller);
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
    if (!race.busyAfter(AttemptPhase.RUNNING) && !race.busyAfter(AttemptPhase.HEAD)) {
      return false;
    }
    boolean delivers = false;
    Runnable undo = restoreContext(); // for the listeners, which may run on the client's thread
    try {
      addBodyTime();
      bounds.atHead();
      delivers = judge.test(head);
    } catch (Throwable thrown) {
      userFailure = thrown;
    } finally {
      undo.run();
    }
    headCame = true;
    race.watchPhase(AttemptPhase.HEAD);
    return race.reopen(AttemptPhase.HEAD) && delivers;
  }

  private boolean judge(R head) {
    Outcome outcome = operation().outcomeAtHead(head);
    boolean accepted = outcome.verdict() instanceof Verdict.Accepted;
    this.head = accepted ? outcome : operation().decide(outcome, head, null);
    return !(this.head instanceof RetryDecision.Retry);
  }

  @Override
  public void awaitsHead() {
    if (!race.busyAfter(AttemptPhase.HEAD)) {
      return;
    }
    if (head != null) {
      race.reopen(AttemptPhase.HEAD); // what follows is decided
      return;
    }
    headCame = false;
    bounds.begin(operation().now());
    race.watchPhase(AttemptPhase.RUNNING);
    race.reopen(AttemptPhase.RUNNING);
  }

  @Override
  public void userCodeFailed(Throwable thrown) {
    userFailure = thrown;
  }

  @Override
  public void complete(@Nullable R response, @Nullable Throwable failure) {
    race.complete(response, failure);
  }

  @Override
  public void cancel() {
    race.end(AttemptPhase.CANCELLED, null);
  }

  @Override
  public void help() {
    race.help();
  }

  // For the race.

  @Override
  public boolean sendingBody() {
    return bounds.sendingBody();
  }

  @Override
  public long leftNanos(AttemptPhase open, long nowNanos) {
    return bounds.leftNanos(operation(), number, open, nowNanos);
  }

  @Override
  public void endWith(@Nullable R response, @Nullable Throwable failure) {
    this.response = response;
    this.failure = failure;
  }

  @Override
  public void handOver() {
    boolean started = !MET_BY.compareAndSet(this, null, CAME_FIRST);
    if (started && metBy instanceof Thread queuedBy) {
      boolean here = Thread.currentThread().equals(queuedBy);
      Object next = here ? CAME_FIRST : END_WENT_ON;
      started = !MET_BY.compareAndSet(this, queuedBy, next) || !here;
    }
    if (started) {
      owner.goOn(this);
    }
  }

  /** Called once when {@link RetryTransport#start} has returned: whether the attempt is over. */
  boolean overOnReturn() {
    if (blocking()) {
      race.awaitEnd();
      return true;
    }
    boolean first =
        MET_BY.compareAndSet(this, null, CAME_FIRST)
            || (metBy instanceof Thread queuedBy
                && MET_BY.compareAndSet(this, queuedBy, CAME_FIRST));
    return !first && CAME_FIRST.equals(metBy);
  }

  // For the loop.

  /** Adds what request bodies took to the operation's total timeout. */
  void addBodyTime() {
    bodyEnded();
    operation().state().extendTotalTimeout(bounds.takeBodyNanos());
  }

  AttemptPhase phase() {
    return race.phase();
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
    return head instanceof Outcome outcome ? outcome : null;
  }

  @Nullable RetryDecision decisionOnHead() {
    return head instanceof RetryDecision decision ? decision : null;
  }
}
