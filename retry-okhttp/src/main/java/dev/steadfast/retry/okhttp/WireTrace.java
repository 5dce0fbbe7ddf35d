package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * One attempt as OkHttp's call makes it: how it begins, what ends it, and the time that it has. The
 * base classes have the known facts about its requests and its connection.
 */
final class WireTrace extends PathTrace implements Runnable, WatchedBody.Wire {
  /** The operation that the attempt belongs to. */
  interface Owner {
    HttpOperation operation();

    /** The request as the caller made it. */
    Request request();

    /** The request body, null if it needs no watching. */
    @Nullable CallersBody callersBody();

    /** Whether a follow-up was lost and sent again. */
    boolean hasLostFollowUp();

    void followUpLost();
  }

  private final LiveCalls registry;
  private final Attempt<?> attempt;
  private final Call call;
  private final Owner owner;
  private final boolean repeats;

  private volatile boolean reached;
  private @Nullable Runnable leavesQueue; // set before the call is enqueued
  private volatile boolean dropped;
  private volatile boolean held;
  private volatile boolean timeoutLifted;
  private volatile boolean timeIsUp; // that of the operation
  private volatile @Nullable InterceptorBounds bounds; // for an interceptor only
  private volatile boolean interrupted;
  private volatile boolean broken;

  WireTrace(Owner owner, LiveCalls registry, Attempt<?> attempt, Call call, boolean repeats) {
    super(owner.operation(), registry.interceptors());
    this.owner = owner;
    this.registry = registry;
    this.attempt = attempt;
    this.call = call;
    this.repeats = repeats;
  }

  @Override
  HttpOperation operation() {
    return owner.operation();
  }

  @Override
  ClientInterceptors interceptors() {
    return registry.interceptors();
  }

  Attempt<?> attempt() {
    return attempt;
  }

  Call call() {
    return call;
  }

  /** Stops the attempt on the wire: its canceller. */
  @Override
  public void run() {
    if (!passedOn()) {
      registry.remove(call); // it may never leave the dispatcher's queue
    }
    call.cancel();
  }

  /** Sets what runs when the attempt leaves the dispatcher's queue. */
  void whenItLeavesQueue(Runnable out) {
    leavesQueue = out;
  }

  /** Whether OkHttp's call of the attempt has begun. */
  boolean reached() {
    return reached;
  }

  @Override
  boolean isOver() {
    return timeIsUp || attempt.stopped();
  }

  @Override
  boolean isOverNow() {
    if (outOfTime()) {
      timeIsUp = true;
      cancelApart();
    }
    return isOver();
  }

  /**
   * Cancels the call from another thread: code of the user's may block there, and hold the call.
   */
  private void cancelApart() {
    try {
      TimerScheduler.system().settle(0, this::endAtDeadline);
    } catch (RejectedExecutionException noThread) {
      endAtDeadline();
    }
  }

  /**
   * Cancels the timeout of the caller's call, for the operation and for OkHttp's call. This has an
   * effect on OkHttp's call only while that runs, so it is done again when the call leaves the
   * queue.
   */
  void liftTimeout() {
    timeoutLifted = true;
    attempt.extendBound(Long.MAX_VALUE);
    call.timeout().clearTimeout().clearDeadline().cancel();
  }

  /**
   * Whether the time of an operation is up, before a timer has noticed. OkHttp itself ends an
   * interceptor's call by its timeout. If that has passed and the call goes on, somebody has
   * cancelled the timeout.
   */
  boolean outOfTime() {
    if (bounds != null && attempt.remainingNanos() == 0 && !call.isCanceled()) {
      attempt.extendBound(Long.MAX_VALUE);
    }
    return attempt.remainingNanos() == 0;
  }

  /**
   * Makes the attempt, unless it is over before it began.
   *
   * @param direct whether nothing of the user's comes before OkHttp
   */
  Response attempted(Interceptor.Chain chain, Request request, boolean direct) throws IOException {
    reached = true;
    Runnable out = leavesQueue;
    if (out != null) {
      leavesQueue = null;
      out.run();
    }
    if (call.isCanceled() || held || !attempt.begin(request)) {
      throw new IOException("Canceled");
    }
    if (call.isCanceled()) {
      throw new IOException("Canceled"); // by a listener, just now
    }
    if (timeoutLifted) {
      call.timeout().cancel();
    }
    Request sent = withLateHeaders(request);
    if (attempt.stopped() || !passOn()) {
      throw new IOException("Canceled");
    }
    awaitTurn(call);
    try {
      return direct ? throughOkHttp(chain, sent) : chain.proceed(sent);
    } catch (IOException thrown) {
      leaveInterceptors(thrown, direct);
      if (timeIsUp) {
        throw timeout(thrown);
      }
      interrupted = Thread.currentThread().isInterrupted(); // the judging thread may be another
      if (interrupted && !(thrown instanceof InterruptedIOException)) {
        throw interruption(thrown); // the socket of a virtual thread says that it was closed
      }
      throw asCanceled(thrown);
    } catch (RuntimeException | Error bug) {
      broken = true; // OkHttp may make an IOException of it
      throw bug;
    } catch (Throwable undeclared) {
      throw declared(undeclared);
    }
  }

  /** The context of other operations that the attempt begins, such as an authenticator's. */
  @Nullable CallContext forOthers(@Nullable CallContext here) {
    CallContext own = operation().plan().callContext();
    return own == null ? here : own.beyond();
  }

  /** A mark for interceptors that send through another client that retries. */
  Runnable markAttempt() {
    return operation().markAttempt();
  }

  /** The request with the time that is left now: some went by in the dispatcher's queue. */
  Request withTimeLeft(Request request) {
    if (!operation().tellsTimeLeft()) {
      return request;
    }
    Request.Builder late = request.newBuilder();
    operation().timeHeaders(attempt.timeoutNanos(), late::header);
    return late.build();
  }

  private Request withLateHeaders(Request request) {
    Map<String, String> headers = operation().lateHeaders(attempt);
    if (headers.isEmpty()) {
      return request;
    }
    Request.Builder late = request.newBuilder();
    headers.forEach(late::header);
    return late.build();
  }

  // A cancelled call fails with the message of its closed socket, but callers expect one message.
  private IOException asCanceled(IOException thrown) {
    boolean otherWords =
        cancelledByOthers()
            && !(thrown instanceof InterruptedIOException)
            && !"Canceled".equals(thrown.getMessage());
    return otherWords ? new IOException("Canceled", thrown) : thrown;
  }

  // OkHttp 5 lets an InterruptedException through while it connects.
  private IOException declared(Throwable undeclared) {
    if (!(undeclared instanceof InterruptedException)) {
      broken = true;
      return new IOException(undeclared);
    }
    interrupted = true;
    Thread.currentThread().interrupt();
    return interruption(undeclared);
  }

  private static IOException interruption(Throwable cause) {
    IOException interruption = new InterruptedIOException("interrupted");
    interruption.initCause(cause);
    return interruption;
  }

  /**
   * Whether a pooled connection is tested first, which takes a millisecond: the request could not
   * be sent again, or a retry must not meet the next dead connection. A connection that has carried
   * no request of ours may be a pooled one, too: a plain client may have used it.
   */
  boolean asksFirst(Request request, boolean reusedConnection) {
    if (reusedConnection && attempt.number() > 1) {
      return true; // a retry must not meet the next dead connection
    }
    if (!reusedConnection && !registry.interceptors().mayAskNewConnections()) {
      return false; // it may be new, and a test would take the server's first bytes
    }
    Safety safety = WireRequests.safety(operation(), request);
    boolean followUp = reusedConnection && head() != null;
    boolean resent =
        safety.isByMethod() && log.disposition() != Disposition.REFUSED && !owner.hasLostFollowUp();
    return !log.survivesDeadConnection(safety)
        || (followUp && !resent); // or the answered request would be sent again, too
  }

  @Override
  @Nullable SecondPool otherPool() {
    return registry.otherPool();
  }

  @Override
  Request callers() {
    return owner.request();
  }

  @Override
  boolean isFirstLostFollowUp() {
    boolean first = !owner.hasLostFollowUp();
    owner.followUpLost();
    return first;
  }

  // Time.

  /** The bounds of an interceptor's attempt, because the loop cannot end its attempts. */
  InterceptorBounds bounded() {
    InterceptorBounds made =
        new InterceptorBounds(
            attempt::remainingNanos, operation().plan(), this::outOfTime, this::endAtDeadline);
    bounds = made;
    made.setTimer();
    return made;
  }

  /** The operation's time is up: its call ends, and nothing goes out any more. */
  void endAtDeadline() {
    timeIsUp = true;
    TimerScheduler.system().cancelOnWire(call::cancel);
  }

  /**
   * The attempt has its answer.
   *
   * @throws IOException if the time was up before
   */
  void endInTime() throws IOException {
    InterceptorBounds running = bounds;
    if (running != null && !running.end()) {
      throw timeout(null);
    }
  }

  /** The exception that the caller gets for a failure that is not OkHttp's. */
  Throwable failure(Throwable thrown) {
    if (timeIsUp && !(thrown instanceof InterruptedIOException)) {
      return timeout(thrown);
    }
    return thrown instanceof IOException io ? asCanceled(io) : thrown;
  }

  boolean timeIsUp() {
    return timeIsUp;
  }

  private IOException timeout(@Nullable Throwable cause) {
    IOException timeout = CallTimeouts.timeout(attempt.timeUp());
    if (cause != null) {
      timeout.initCause(cause);
    }
    return timeout;
  }

  /** The body of the operation, null if it needs no watching. */
  @Nullable CallersBody callersBody() {
    return owner.callersBody();
  }

  @Override
  public boolean repeats() {
    return repeats;
  }

  @Override
  public void bodyStarted() {
    sendsBody(true);
    attempt.bodyStarted();
  }

  @Override
  public void bodyEnded() {
    sendsBody(false);
    attempt.bodyEnded();
    InterceptorBounds running = bounds;
    if (running != null) {
      running.setTimer();
    }
  }

  /** The connection that the latest request goes out on. */
  void on(Connection connection) {
    InterceptorBounds running = bounds;
    if (running != null) {
      running.on(connection);
    }
  }

  /** OkHttp's call is cancelled to get rid of its response. */
  void drop() {
    dropped = true;
    call.cancel();
  }

  /** Does not begin any more; unlike a cancellation it ends nothing that has begun. */
  void hold() {
    held = true;
  }

  /**
   * Whether Steadfast ended OkHttp's call: by a timer, by a cancellation, or because the response
   * was not needed any more.
   */
  boolean stopped() {
    return attempt.stopped() || dropped;
  }

  /** Whether OkHttp's call was cancelled by something other than our timer or our canceller. */
  boolean cancelledByOthers() {
    return (held || call.isCanceled()) && !stopped();
  }

  /** Whether the thread of the call was interrupted when the attempt failed. */
  boolean interrupted() {
    return interrupted;
  }

  /** Whether an interceptor threw anything but an {@link IOException}. */
  boolean broken() {
    return broken;
  }
}
