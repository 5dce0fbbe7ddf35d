package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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

/**
 * A call that makes an OkHttp call for each attempt. The methods that users see are here. Methods
 * that later versions of OkHttp add to {@link Call} go to a prototype, see {@link CallProxy}.
 */
final class RetryingCall extends RunningCall implements Call {
  // Why it is like this: docs/decisions/one-loop.md
  private static final AtomicReferenceFieldUpdater<RetryingCall, @Nullable Timeout> TIMEOUT =
      AtomicReferenceFieldUpdater.newUpdater(RetryingCall.class, Timeout.class, "timeout");
  private static final AtomicReferenceFieldUpdater<RetryingCall, CallExtras> EXTRAS =
      AtomicReferenceFieldUpdater.newUpdater(RetryingCall.class, CallExtras.class, "extras");

  // Made when somebody asks for them.
  private volatile @Nullable Timeout timeout;
  private volatile CallExtras extras = CallExtras.NONE;

  private long timeoutEndNanos; // when the timeout that it started with is over, if it has one
  private boolean hasTimeout;
  private Call self = this; // the proxy, where there is one

  RetryingCall(FactoryContext factory, Request request, HttpOperation operation) {
    super(factory, request, operation);
  }

  @Override
  Call self() {
    return self;
  }

  void calledBackAs(Call proxy) {
    self = proxy;
  }

  /** A real call of the same request, never executed: for tags, and methods of later versions. */
  Call prototype() {
    while (true) {
      CallExtras before = extras;
      Call known = before.prototype();
      if (known != null) {
        return known;
      }
      Call made = factory.client().newCall(request);
      EXTRAS.compareAndSet(this, before, before.with(made));
    }
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public Response execute() throws IOException {
    return run();
  }

  @Override
  public void enqueue(Callback callback) {
    start(Objects.requireNonNull(callback, "callback"));
  }

  @Override
  void prepare(Call ofAttempt) {
    List<Consumer<Call>> each = extras.each();
    if (!each.isEmpty()) {
      each.forEach(extra -> extra.accept(ofAttempt));
    }
    bound(ofAttempt.timeout());
  }

  // Sets the rest of this call's timeout, which also runs while the caller reads the body.
  private void bound(Timeout ofAttempt) {
    if (timeoutLifted()) {
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

  @Override
  long boundNanos() {
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
    return Math.min(operation().boundNanos(), bound);
  }

  @Override
  void holdTimeout(Attempt<?> attempt, WireTrace wire) {
    if (hasTimeout) {
      Timeout set = timeout;
      attempt.extendBound(set == null ? Long.MAX_VALUE : CallTimeouts.deadlineLeftNanos(set));
      wire.whenItLeavesQueue(() -> startTimeout(attempt));
    }
  }

  private void startTimeout(Attempt<?> attempt) {
    if (!timeoutLifted()) {
      attempt.extendBound(boundNanos());
    }
    if (timeoutLifted()) { // perhaps just now
      attempt.extendBound(Long.MAX_VALUE);
    }
  }

  private long clientsTimeoutNanos() {
    return TimeUnit.MILLISECONDS.toNanos(factory.client().callTimeoutMillis());
  }

  private long nanoTime() {
    return operation().plan().environment().ticker().getAsLong();
  }

  @Override
  public Timeout timeout() {
    Timeout known = timeout;
    if (known != null) {
      return known;
    }
    Timeout made =
        new CancellableTimeout(this::liftTimeout)
            .timeout(clientsTimeoutNanos(), TimeUnit.NANOSECONDS);
    TIMEOUT.compareAndSet(this, null, made);
    return Objects.requireNonNull(timeout);
  }

  @Override
  public void addEventListener(EventListener listener) {
    add(call -> call.addEventListener(listener));
  }

  private void add(Consumer<Call> extra) {
    CallExtras before;
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
    return "RetryingCall(" + operation() + ")";
  }
}
