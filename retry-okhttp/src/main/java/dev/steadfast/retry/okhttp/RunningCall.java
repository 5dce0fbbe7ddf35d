package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.paths.PathChoice;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life cycle of a call that makes an OkHttp call for each attempt: how it begins, makes its
 * attempts, is cancelled, and calls its callback. It is a base class, so that it costs no object.
 */
abstract class RunningCall implements OkHttpTransport.AttemptSender, FactoryContext.Running {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private static final AtomicIntegerFieldUpdater<RunningCall> EXECUTED =
      AtomicIntegerFieldUpdater.newUpdater(RunningCall.class, "executed");

  final FactoryContext factory;
  final Request request;

  private HttpOperation operation; // as made, until the call is executed
  private volatile int executed; // 1 once it is
  private volatile boolean canceled;
  private volatile boolean timeoutLifted;

  // Cleared when the operation is over, so that a call that is kept holds nothing of it.
  private @Nullable Callback callback; // null: executed
  private volatile @Nullable RetryLoop<OkHttpAnswer> loop;
  private volatile @Nullable WireTrace last; // of the latest attempt
  private volatile @Nullable OnDispatcher turn;
  private volatile @Nullable Call lastCall; // OkHttp's, once the operation is over

  RunningCall(FactoryContext factory, Request request, HttpOperation operation) {
    this.factory = factory;
    this.request = request;
    this.operation = operation;
  }

  /** The call that callbacks get. */
  abstract Call self();

  /** Gives the call of an attempt what this call has: its time, listeners and tags. */
  abstract void prepare(Call ofAttempt);

  /** The time that bounds the operation from now on; {@link Long#MAX_VALUE} for none. */
  abstract long boundNanos();

  /**
   * The first attempt goes into the dispatcher's queue, where OkHttp does not let the timeout of a
   * call run.
   */
  abstract void holdTimeout(Attempt<?> attempt, WireTrace wire);

  final HttpOperation operation() {
    return operation;
  }

  final boolean timeoutLifted() {
    return timeoutLifted;
  }

  final Response run() throws IOException {
    RetryLoop<OkHttpAnswer> running = begin();
    try {
      return running.run(boundNanos()).response();
    } catch (IOException | RuntimeException | Error thrown) {
      throw thrown;
    } catch (Throwable thrown) {
      throw new IOException(thrown);
    } finally {
      over();
    }
  }

  final void start(Callback told) {
    RetryLoop<OkHttpAnswer> running = begin();
    callback = told;
    boolean started = false;
    try {
      running.start(boundNanos(), this::ended);
      started = true;
    } finally {
      if (!started) {
        over();
      }
    }
  }

  private void over() {
    if (loop == null) {
      return;
    }
    WireTrace wire = last;
    lastCall = wire == null || wire.stopped() ? null : wire.call();
    last = null;
    loop = null;
    factory.ended(this);
  }

  // May come from the thread that called enqueue, from a timer's, or from the library's own.
  private void ended(@Nullable OkHttpAnswer answer, @Nullable Throwable thrown) {
    over();
    OnDispatcher now = turn;
    if (now == null || !now.isHere()) {
      callBack(() -> tell(answer, thrown));
    } else if (now instanceof AttemptCallback arrival) {
      arrival.tells(answer, thrown);
    } else {
      tell(answer, thrown);
    }
  }

  void tell(@Nullable OkHttpAnswer answer, @Nullable Throwable thrown) {
    Callback told = Objects.requireNonNull(callback);
    callback = null;
    if (answer == null) {
      told.onFailure(self(), thrown instanceof IOException io ? io : new IOException(thrown));
    } else {
      respond(told, answer);
    }
  }

  // OkHttp logs what a callback throws after a response; the operation is over either way.
  private void respond(Callback told, OkHttpAnswer answer) {
    try {
      told.onResponse(self(), answer.response());
    } catch (IOException thrown) {
      LOG.info("the callback of {} failed", operation, thrown);
    } catch (Throwable thrown) {
      answer.cancel(); // as OkHttp does
      answer.response().close();
      throw thrown;
    }
  }

  private RetryLoop<OkHttpAnswer> begin() {
    if (!EXECUTED.compareAndSet(this, 0, 1)) {
      throw new IllegalStateException("Already Executed");
    }
    CallContext here = CallContext.current();
    if (here != null && !here.equals(operation.plan().callContext())) {
      // The call was made elsewhere, and is executed within this scope.
      operation = factory.operation(operation.request(), request);
    }
    OkHttpTransport transport = new OkHttpTransport(operation, request, this);
    RetryLoop<OkHttpAnswer> running = operation.loop(operation.plan(), transport, transport);
    factory.started(this);
    loop = running;
    if (canceled) {
      running.cancel();
    }
    return running;
  }

  @Override
  public void callBack(Runnable callback) {
    CallbackTask calling = new CallbackTask(callback);
    turn = calling;
    calling.start(factory.client().dispatcher().executorService());
  }

  @Override
  public void waits() {
    turn = null;
    last = null;
  }

  /** The step before an attempt that takes the second pool, null if it takes the usual one. */
  private PathChoice.@Nullable Step chooseWay(
      Attempt<OkHttpAnswer> attempt, OkHttpTransport transport) {
    SecondPool other = factory.registry().otherPool();
    return other == null ? null : other.choose(operation, attempt, transport.lost);
  }

  @Override
  public TransportFailure failed(
      WireTrace wire, TransportFailure failure, OkHttpTransport transport) {
    transport.lost = wire.failed(failure.kind(), transport.lost);
    return wire.onPath(failure);
  }

  @Override
  public void deadlinePassed(TimeUp limit, OkHttpTransport transport) {
    canceled = true; // as OkHttp's own timeout cancels a call
    WireTrace wire = last;
    if (wire != null && limit.limit() != TimeLimit.DEADLINE) { // which may be too short
      failed(wire, TransportFailure.of(FailureKind.TIMEOUT), transport); // for the operation after
    }
  }

  @Override
  public void send(Request attempted, Attempt<OkHttpAnswer> attempt, OkHttpTransport transport) {
    if (callback == null) {
      execute(attempted, attempt, transport);
    } else {
      enqueue(attempted, attempt, transport);
    }
  }

  // Executes the attempt on the calling thread.
  private void execute(
      Request attempted, Attempt<OkHttpAnswer> attempt, OkHttpTransport transport) {
    WireTrace wire = prepare(attempted, attempt, transport);
    try {
      answer(wire, transport, attempt);
    } finally {
      factory.registry().remove(wire.call());
    }
  }

  private static void answer(
      WireTrace wire, OkHttpTransport transport, Attempt<OkHttpAnswer> attempt) {
    try {
      transport.answered(wire.call().execute(), wire, attempt);
    } catch (Throwable thrown) {
      transport.failed(thrown, wire, attempt);
    }
  }

  // Enqueues the attempt, which takes a place of its own in the dispatcher's queue.
  private void enqueue(
      Request attempted, Attempt<OkHttpAnswer> attempt, OkHttpTransport transport) {
    WireTrace wire = prepare(attempted, attempt, transport);
    if (attempt.number() == 1) {
      holdTimeout(attempt, wire);
    }
    if (!attempt.queued()) {
      return;
    }
    boolean taken = false;
    try {
      wire.call().enqueue(new AttemptCallback(this, transport, attempt, wire));
      taken = true;
    } finally {
      if (!taken) {
        wire.run(); // stops it: a listener of the user's may have thrown after it was queued
      }
    }
  }

  /** The call of an attempt is over, on the thread that is to be told. */
  void arrived(AttemptCallback end, WireTrace wire) {
    factory.registry().remove(wire.call());
    turn = end;
  }

  private WireTrace prepare(
      Request attempted, Attempt<OkHttpAnswer> attempt, OkHttpTransport transport) {
    CallTag tag = factory.newTag();
    PathChoice.Step way = chooseWay(attempt, transport);
    Call call = factory.newAttempt(attempted, tag, way != null);
    prepare(call);
    if (tag != null) {
      tag.set(call);
    }
    WireTrace wire = transport.wire(attempt, call, factory.registry());
    last = wire;
    wire.takeOther(way);
    if (canceled) {
      wire.hold();
    }
    if (timeoutLifted) {
      wire.liftTimeout();
    }
    factory.registry().put(call, wire);
    attempt.onCancel(wire);
    return wire;
  }

  @Override
  public void hold() {
    canceled = true;
    WireTrace wire = last;
    if (wire != null) {
      wire.hold();
    }
  }

  /** Ends the operation, and OkHttp's call. */
  @Override
  public void cancel() {
    canceled = true;
    RetryLoop<OkHttpAnswer> running = loop;
    if (running != null) {
      running.cancel();
    }
    WireTrace wire = last;
    Call call = wire == null ? lastCall : wire.call();
    if (call != null) {
      call.cancel(); // ends a body that is being read, too
    }
  }

  public boolean isExecuted() {
    return executed == 1;
  }

  public boolean isCanceled() {
    WireTrace wire = last;
    Call call = lastCall;
    return canceled
        || (wire != null ? wire.cancelledByOthers() : call != null && call.isCanceled());
  }

  // Clients of event streams take the timeout back when the stream has begun.
  final void liftTimeout() {
    if (executed == 0) {
      return;
    }
    timeoutLifted = true;
    WireTrace wire = last;
    Call call = lastCall;
    RetryLoop<OkHttpAnswer> running = loop;
    if (wire != null) {
      wire.liftTimeout();
    } else if (running != null) {
      running.extendBound(Long.MAX_VALUE);
    } else if (call != null) {
      call.timeout().cancel();
    }
  }
}
