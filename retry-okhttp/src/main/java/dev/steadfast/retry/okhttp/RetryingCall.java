package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.CallContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import kotlin.jvm.functions.Function0;
import kotlin.reflect.KClass;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.Request;
import okhttp3.Response;
import okio.Timeout;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call whose attempts are OkHttp calls of their own. What concerns the operation is done here;
 * what later versions of OkHttp add to {@link Call} goes to a prototype, see {@link CallProxy}.
 */
final class RetryingCall implements Call, OkHttpTransport.Sender {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private static final AtomicIntegerFieldUpdater<RetryingCall> EXECUTED =
      AtomicIntegerFieldUpdater.newUpdater(RetryingCall.class, "executed");
  private static final AtomicReferenceFieldUpdater<RetryingCall, @Nullable Timeout> TIMEOUT =
      AtomicReferenceFieldUpdater.newUpdater(RetryingCall.class, Timeout.class, "timeout");
  private static final AtomicReferenceFieldUpdater<RetryingCall, Extras> EXTRAS =
      AtomicReferenceFieldUpdater.newUpdater(RetryingCall.class, Extras.class, "extras");

  private final RetryingCallFactory factory;
  private final Request request;

  // Made when somebody asks for them.
  private volatile @Nullable Timeout timeout;
  private volatile Extras extras = Extras.NONE;

  private HttpOperation operation; // as made, until the call is executed
  private long timeoutEndNanos; // when the timeout that it started with is over, if it has one
  private boolean hasTimeout;
  private Call self = this; // what callbacks get: the proxy, where there is one
  private volatile int executed; // 1 once it is
  private volatile boolean canceled;
  private volatile boolean timeoutLifted;

  // Of the operation, until it is over: a call that is kept afterwards keeps nothing of it.
  private @Nullable Callback callback; // null: executed
  private volatile @Nullable RetryLoop<Answer> loop;
  private volatile @Nullable WireTrace last; // of the latest attempt
  private volatile @Nullable Object turn; // an Arrival or a CallingBack: has a dispatcher's thread
  private volatile @Nullable Call lastCall; // OkHttp's, once the operation is over

  /**
   * What few calls have.
   *
   * @param prototype a real call of the same request, never executed
   * @param each puts listeners and tags that were put on this call on the calls of its attempts
   */
  private record Extras(@Nullable Call prototype, List<Consumer<Call>> each) {
    static final Extras NONE = new Extras(null, List.of());

    Extras and(Consumer<Call> one) {
      List<Consumer<Call>> all = new ArrayList<>(each);
      all.add(one);
      return new Extras(prototype, List.copyOf(all));
    }
  }

  RetryingCall(RetryingCallFactory factory, Request request, HttpOperation operation) {
    this.factory = factory;
    this.request = request;
    this.operation = operation;
  }

  void calledBackAs(Call proxy) {
    self = proxy;
  }

  /** A real call of the same request, never executed; keeps tags, and answers what is not ours. */
  Call prototype() {
    while (true) {
      Extras before = extras;
      Call known = before.prototype();
      if (known != null) {
        return known;
      }
      Call made = factory.client().newCall(request);
      EXTRAS.compareAndSet(this, before, new Extras(made, before.each()));
    }
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public Response execute() throws IOException {
    RetryLoop<Answer> running = begin();
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

  @Override
  public void enqueue(Callback callback) {
    Objects.requireNonNull(callback, "callback");
    RetryLoop<Answer> running = begin();
    this.callback = callback;
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
  private void ended(@Nullable Answer answer, @Nullable Throwable thrown) {
    over();
    Object now = turn;
    if (now instanceof Arrival arrival && arrival.isHere()) {
      arrival.tells(answer, thrown);
    } else if (now instanceof CallingBack calling && calling.isHere()) {
      tell(answer, thrown);
    } else {
      callBack(() -> tell(answer, thrown));
    }
  }

  private void tell(@Nullable Answer answer, @Nullable Throwable thrown) {
    Callback told = Objects.requireNonNull(callback);
    callback = null;
    if (answer == null) {
      told.onFailure(self, asIo(thrown));
    } else {
      respond(told, answer);
    }
  }

  // OkHttp logs what a callback throws after a response; the operation is over either way.
  private void respond(Callback told, Answer answer) {
    try {
      told.onResponse(self, answer.response());
    } catch (IOException thrown) {
      LOG.info("the callback of {} failed", operation, thrown);
    } catch (Throwable thrown) {
      answer.wire().call().cancel(); // as OkHttp does
      answer.response().close();
      throw thrown;
    }
  }

  private static IOException asIo(@Nullable Throwable thrown) {
    return thrown instanceof IOException io ? io : new IOException(thrown);
  }

  private RetryLoop<Answer> begin() {
    if (!EXECUTED.compareAndSet(this, 0, 1)) {
      throw new IllegalStateException("Already Executed");
    }
    CallContext here = CallContext.current();
    if (here != null && !here.equals(operation.plan().callContext())) {
      operation = factory.operation(request); // made elsewhere, executed within this scope
    }
    OkHttpTransport exchange =
        new OkHttpTransport(operation, request, this, factory.retry().bufferBodiesUpTo());
    RetryLoop<Answer> running = RetryLoop.of(operation.plan(), operation.info(), exchange);
    factory.started(this);
    loop = running;
    if (canceled) {
      running.cancel();
    }
    return running;
  }

  @Override
  public void callBack(Runnable callback) {
    CallingBack calling = new CallingBack(callback);
    turn = calling;
    calling.start(factory.client().dispatcher().executorService());
  }

  @Override
  public void deadlinePassed() {
    canceled = true; // as OkHttp's own timeout cancels a call
  }

  @Override
  public void send(Request attempted, Attempt<Answer> attempt, OkHttpTransport exchange) {
    if (callback == null) {
      execute(attempted, attempt, exchange);
    } else {
      enqueue(attempted, attempt, exchange);
    }
  }

  // On the calling thread.
  private void execute(Request attempted, Attempt<Answer> attempt, OkHttpTransport exchange) {
    WireTrace wire = prepare(attempted, attempt, exchange);
    try {
      answer(wire, exchange);
    } finally {
      factory.wires().remove(wire.call());
    }
  }

  private static void answer(WireTrace wire, OkHttpTransport exchange) {
    try {
      exchange.answered(wire.call().execute(), wire);
    } catch (Throwable thrown) {
      wire.attempt().complete(null, thrown);
    }
  }

  // Through the dispatcher, with a place in its queue per attempt.
  private void enqueue(Request attempted, Attempt<Answer> attempt, OkHttpTransport exchange) {
    WireTrace wire = prepare(attempted, attempt, exchange);
    if (!attempt.queued()) {
      return;
    }
    boolean taken = false;
    try {
      wire.call().enqueue(new Arrival(wire));
      taken = true;
    } finally {
      if (!taken) {
        wire.neverMind(); // a listener of the user's may have thrown after it was queued
      }
    }
  }

  /**
   * The end of an attempt, on a thread of the dispatcher's. If the operation ends with it, the
   * callback is told once the loop has returned: what it throws is for the dispatcher.
   */
  private final class Arrival implements Callback {
    private final WireTrace wire;
    private @Nullable Thread thread;
    private @Nullable Answer answer; // for the callback, as is the failure
    private @Nullable Throwable failure;

    Arrival(WireTrace wire) {
      this.wire = wire;
    }

    boolean isHere() {
      return Thread.currentThread().equals(thread);
    }

    void tells(@Nullable Answer answer, @Nullable Throwable failure) {
      this.answer = answer;
      this.failure = failure;
    }

    @Override
    public void onFailure(Call call, IOException thrown) {
      arrived(call, null, thrown);
    }

    @Override
    public void onResponse(Call call, Response response) {
      arrived(call, response, null);
    }

    private void arrived(Call call, @Nullable Response response, @Nullable IOException thrown) {
      factory.wires().remove(call);
      thread = Thread.currentThread();
      turn = this;
      Runnable undo = wire.attempt().restoreContext();
      try {
        if (response != null) {
          wire.exchange().answered(response, wire);
        } else {
          wire.attempt().complete(null, thrown);
        }
        if (answer != null || failure != null) {
          tell(answer, failure);
        }
      } finally {
        thread = null;
        undo.run();
      }
    }
  }

  private WireTrace prepare(Request attempted, Attempt<Answer> attempt, OkHttpTransport exchange) {
    Call call = factory.client().newCall(attempted);
    List<Consumer<Call>> each = extras.each();
    if (!each.isEmpty()) {
      each.forEach(extra -> extra.accept(call));
    }
    bound(call.timeout());
    WireTrace wire = exchange.wire(attempt, call, factory.wires());
    last = wire;
    if (canceled) {
      wire.hold();
    }
    if (timeoutLifted) {
      wire.liftTimeout();
    }
    factory.wires().put(call, wire);
    attempt.onCancel(wire);
    return wire;
  }

  // The rest of this call's own time, which goes on while the caller reads the body.
  private void bound(Timeout ofAttempt) {
    if (timeoutLifted) {
      ofAttempt.clearTimeout();
      return;
    }
    long left = hasTimeout ? Math.max(1, timeoutEndNanos - nanoTime()) : 0;
    ofAttempt.timeout(left, TimeUnit.NANOSECONDS);
    Timeout set = timeout;
    if (set != null && set.hasDeadline()) {
      ofAttempt.deadlineNanoTime(set.deadlineNanoTime());
    }
  }

  private long boundNanos() {
    Timeout set = timeout;
    long own = set == null ? clientsTimeoutNanos() : set.timeoutNanos();
    long bound = own == 0 ? Long.MAX_VALUE : own;
    if (own != 0) {
      hasTimeout = true;
      timeoutEndNanos = nanoTime() + own; // may wrap: only differences of it are used
    }
    if (set != null) {
      bound = CallTimeouts.boundNanos(set);
    }
    return Math.min(operation.boundNanos(), bound);
  }

  private long clientsTimeoutNanos() {
    return TimeUnit.MILLISECONDS.toNanos(factory.client().callTimeoutMillis());
  }

  private long nanoTime() {
    return operation.plan().environment().ticker().getAsLong();
  }

  /** Begins no attempt any more, of those in the dispatcher's queue either. */
  void hold() {
    canceled = true;
    WireTrace wire = last;
    if (wire != null) {
      wire.hold();
    }
  }

  @Override
  public void cancel() {
    canceled = true;
    RetryLoop<Answer> running = loop;
    if (running != null) {
      running.cancel();
    }
    WireTrace wire = last;
    Call call = wire == null ? lastCall : wire.call();
    if (call != null) {
      call.cancel(); // ends a body that is being read, too
    }
  }

  @Override
  public boolean isExecuted() {
    return executed == 1;
  }

  @Override
  public boolean isCanceled() {
    if (canceled) {
      return true;
    }
    WireTrace wire = last;
    if (wire != null) {
      return wire.cancelledByOthers();
    }
    Call call = lastCall;
    return call != null && call.isCanceled();
  }

  @Override
  public Timeout timeout() {
    Timeout known = timeout;
    if (known != null) {
      return known;
    }
    Timeout made = new OwnTimeout().timeout(clientsTimeoutNanos(), TimeUnit.NANOSECONDS);
    TIMEOUT.compareAndSet(this, null, made);
    return Objects.requireNonNull(timeout);
  }

  /** The timeout of this call; clients of event streams take it back when the stream has begun. */
  private final class OwnTimeout extends Timeout {
    // As Okio has it: without effect on a call that has not begun. OkHttp 4 never calls it.
    @Override
    public void cancel() {
      super.cancel();
      if (executed == 0) {
        return;
      }
      timeoutLifted = true;
      WireTrace wire = last;
      Call call = lastCall;
      if (wire != null) {
        wire.liftTimeout();
      } else if (call != null) {
        call.timeout().cancel();
      }
    }
  }

  @Override
  public void addEventListener(EventListener listener) {
    add(call -> call.addEventListener(listener));
  }

  private void add(Consumer<Call> extra) {
    Extras before;
    do {
      before = extras;
    } while (!EXTRAS.compareAndSet(this, before, before.and(extra)));
  }

  @Override
  public <T> @Nullable T tag(KClass<T> type) {
    return prototype().tag(type);
  }

  @Override
  public <T> @Nullable T tag(Class<? extends T> type) {
    return prototype().tag(type);
  }

  @Override
  public <T> T tag(KClass<T> type, Function0<? extends T> make) {
    T known = prototype().tag(type);
    if (known != null) {
      return known;
    }
    T made = prototype().tag(type, make);
    add(call -> call.tag(type, () -> made));
    return made;
  }

  @Override
  public <T> T tag(Class<T> type, Function0<? extends T> make) {
    T known = prototype().tag(type);
    if (known != null) {
      return known;
    }
    T made = prototype().tag(type, make);
    add(call -> call.tag(type, () -> made));
    return made;
  }

  // A new operation: a clone is a new intent unless the caller's own key says otherwise.
  @Override
  @SuppressWarnings({"MethodDoesntCallSuperMethod", "NoClone"})
  public Call clone() {
    return factory.newCall(request);
  }

  @Override
  public String toString() {
    return "RetryingCall(" + operation + ")";
  }
}
