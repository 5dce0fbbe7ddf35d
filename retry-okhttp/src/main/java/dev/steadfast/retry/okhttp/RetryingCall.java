package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Attempt;
import dev.steadfast.retry.RetryLoop;
import dev.steadfast.retry.Surroundings;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
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
final class RetryingCall implements Call, OkHttpExchange.Sender {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final AtomicIntegerFieldUpdater<RetryingCall> EXECUTED =
      AtomicIntegerFieldUpdater.newUpdater(RetryingCall.class, "executed");
  private static final AtomicReferenceFieldUpdater<RetryingCall, @Nullable Timeout> TIMEOUT =
      AtomicReferenceFieldUpdater.newUpdater(RetryingCall.class, Timeout.class, "timeout");
  private static final AtomicReferenceFieldUpdater<RetryingCall, @Nullable Call> PROTOTYPE =
      AtomicReferenceFieldUpdater.newUpdater(RetryingCall.class, Call.class, "prototype");
  private static final AtomicReferenceFieldUpdater<RetryingCall, Extras> EXTRAS =
      AtomicReferenceFieldUpdater.newUpdater(RetryingCall.class, Extras.class, "extras");

  private final RetryingCallFactory factory;
  private final Request request;

  // Made when somebody asks for them.
  private volatile @Nullable Timeout timeout;
  private volatile @Nullable Call prototype;
  // Listeners and tags that were put on this call, for the calls of its attempts.
  private volatile Extras extras = Extras.NONE;

  private HttpOperation operation; // as made, until the call is executed
  private long startNanos;
  private Call self = this; // what callbacks get: the proxy, where there is one
  private volatile int executed; // 1 once it is
  private boolean enqueued;
  private volatile boolean canceled;
  private volatile @Nullable RetryLoop<Answer> loop;
  private volatile @Nullable WireState last; // of the latest attempt
  private volatile @Nullable Thread ofDispatcher; // the latest of its threads that was lent to us

  private record Extras(List<Consumer<Call>> each) {
    static final Extras NONE = new Extras(List.of());

    Extras and(Consumer<Call> one) {
      List<Consumer<Call>> all = new ArrayList<>(each);
      all.add(one);
      return new Extras(List.copyOf(all));
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
    Call known = prototype;
    if (known != null) {
      return known;
    }
    PROTOTYPE.compareAndSet(this, null, factory.client().newCall(request));
    return Objects.requireNonNull(prototype);
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
      factory.ended(this);
    }
  }

  @Override
  public void enqueue(Callback callback) {
    Objects.requireNonNull(callback, "callback");
    RetryLoop<Answer> running = begin();
    enqueued = true;
    try {
      running.start(boundNanos(), (answer, thrown) -> ended(callback, answer, thrown));
    } catch (RuntimeException | Error thrown) {
      factory.ended(this);
      throw thrown;
    }
  }

  // May come from the thread that called enqueue, from a timer's, or from the canceller's.
  private void ended(Callback callback, @Nullable Answer answer, @Nullable Throwable thrown) {
    factory.ended(this);
    Runnable told =
        answer == null
            ? () -> callback.onFailure(self, asIo(thrown))
            : () -> respond(callback, answer);
    if (Thread.currentThread().equals(ofDispatcher)) {
      told.run();
    } else {
      callBack(told);
    }
  }

  // OkHttp logs what a callback throws after a response; the operation is over either way.
  private void respond(Callback callback, Answer answer) {
    try {
      callback.onResponse(self, answer.response());
    } catch (IOException thrown) {
      LOG.info("the callback of {} failed", operation, thrown);
    } catch (RuntimeException | Error thrown) {
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
    Surroundings here = Surroundings.current();
    if (here != null && !here.equals(operation.plan().surroundings())) {
      operation = factory.operation(request); // made elsewhere, executed within this scope
    }
    OkHttpExchange exchange =
        new OkHttpExchange(operation, request, this, factory.retry().bufferBodiesUpTo());
    RetryLoop<Answer> running = new RetryLoop<>(operation.plan(), operation.info(), exchange);
    factory.started(this);
    loop = running;
    if (canceled) {
      running.cancel();
    }
    return running;
  }

  @Override
  public void callBack(Runnable continuation) {
    try {
      factory
          .client()
          .dispatcher()
          .executorService()
          .execute(() -> {
            ofDispatcher = Thread.currentThread();
            continuation.run();
          });
    } catch (RejectedExecutionException shutDown) {
      continuation.run(); // better on this thread than never
    }
  }

  @Override
  public void send(Request attempted, Attempt<Answer> attempt, OkHttpExchange exchange) {
    if (enqueued) {
      enqueue(attempted, attempt, exchange);
    } else {
      execute(attempted, attempt, exchange);
    }
  }

  // On the calling thread.
  private void execute(Request attempted, Attempt<Answer> attempt, OkHttpExchange exchange) {
    WireState wire = prepare(attempted, attempt, exchange);
    try {
      Blocking.run(() -> answer(wire, exchange));
    } finally {
      factory.wires().remove(wire.call());
    }
  }

  private static void answer(WireState wire, OkHttpExchange exchange) {
    try {
      exchange.answered(wire.call().execute(), wire);
    } catch (Throwable thrown) {
      wire.attempt().complete(null, thrown);
    }
  }

  // Through the dispatcher, with a place in its queue per attempt.
  private void enqueue(Request attempted, Attempt<Answer> attempt, OkHttpExchange exchange) {
    WireState wire = prepare(attempted, attempt, exchange);
    try {
      wire.call().enqueue(new Arrival(wire, exchange));
    } catch (RuntimeException | Error thrown) {
      factory.wires().remove(wire.call());
      throw thrown;
    }
  }

  /** The end of an attempt, on a thread of the dispatcher's. */
  private final class Arrival implements Callback {
    private final WireState wire;
    private final OkHttpExchange exchange;

    Arrival(WireState wire, OkHttpExchange exchange) {
      this.wire = wire;
      this.exchange = exchange;
    }

    @Override
    public void onFailure(Call call, IOException failure) {
      arrived(call);
      wire.attempt().complete(null, failure);
    }

    @Override
    public void onResponse(Call call, Response response) {
      arrived(call);
      exchange.answered(response, wire);
    }

    private void arrived(Call call) {
      factory.wires().remove(call);
      ofDispatcher = Thread.currentThread();
    }
  }

  private WireState prepare(Request attempted, Attempt<Answer> attempt, OkHttpExchange exchange) {
    Call call = factory.client().newCall(attempted);
    for (Consumer<Call> extra : extras.each()) {
      extra.accept(call);
    }
    bound(call.timeout());
    WireState wire = exchange.wire(attempt, call, factory.wires());
    last = wire;
    if (canceled) {
      wire.hold();
    }
    factory.wires().put(call, wire);
    attempt.onCancel(wire);
    return wire;
  }

  // The rest of this call's own time, which goes on while the caller reads the body.
  private void bound(Timeout ofAttempt) {
    Timeout set = timeout;
    long own = set == null ? clientsTimeoutNanos() : set.timeoutNanos();
    long left = own == 0 ? 0 : Math.max(1, own - (nanoTime() - startNanos));
    ofAttempt.timeout(left, TimeUnit.NANOSECONDS);
    if (set != null && set.hasDeadline()) {
      ofAttempt.deadlineNanoTime(set.deadlineNanoTime());
    }
  }

  private long boundNanos() {
    startNanos = nanoTime();
    Timeout set = timeout;
    long own = clientsTimeoutNanos();
    long bound = set != null ? CallTimeouts.boundNanos(set) : own == 0 ? Long.MAX_VALUE : own;
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
    WireState wire = last;
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
    WireState wire = last;
    if (wire != null) {
      wire.call().cancel(); // ends a body that is being read, too
    }
  }

  @Override
  public boolean isExecuted() {
    return executed == 1;
  }

  @Override
  public boolean isCanceled() {
    WireState wire = last;
    return canceled || (wire != null && wire.cancelledByOthers());
  }

  @Override
  public Timeout timeout() {
    Timeout known = timeout;
    if (known != null) {
      return known;
    }
    Timeout made = new Timeout().timeout(clientsTimeoutNanos(), TimeUnit.NANOSECONDS);
    TIMEOUT.compareAndSet(this, null, made);
    return Objects.requireNonNull(timeout);
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
