package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Attempt;
import dev.steadfast.retry.RetryLoop;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
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
final class RetryingCall implements Call {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final RetryingCallFactory factory;
  private final Request request;
  private final HttpOperation operation;
  private final Timeout timeout = new Timeout();
  private final AtomicBoolean executed = new AtomicBoolean();
  private final List<EventListener> listeners = new CopyOnWriteArrayList<>();

  private final AtomicReference<@Nullable Call> prototype = new AtomicReference<>();

  private long startNanos;
  private Call self = this; // what callbacks get: the proxy, where there is one
  private volatile boolean canceled;
  private volatile @Nullable RetryLoop<Answer> loop;

  RetryingCall(RetryingCallFactory factory, Request request, HttpOperation operation) {
    this.factory = factory;
    this.request = request;
    this.operation = operation;
    this.timeout.timeout(factory.client().callTimeoutMillis(), TimeUnit.MILLISECONDS);
  }

  void calledBackAs(Call proxy) {
    self = proxy;
  }

  /** A real call of the same request, never executed; keeps tags, and answers what is not ours. */
  Call prototype() {
    Call known = prototype.get();
    if (known != null) {
      return known;
    }
    prototype.compareAndSet(null, factory.client().newCall(request));
    return Objects.requireNonNull(prototype.get());
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public Response execute() throws IOException {
    RetryLoop<Answer> running = start(this::execute);
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
    RetryLoop<Answer> running = start(this::enqueue);
    running.start(
        boundNanos(),
        (answer, thrown) -> {
          factory.ended(this);
          if (answer != null) {
            respond(callback, answer.response());
          } else {
            callback.onFailure(self, asIo(thrown));
          }
        });
  }

  // OkHttp logs what a callback throws after a response; the operation is over either way.
  private void respond(Callback callback, Response response) {
    try {
      callback.onResponse(self, response);
    } catch (IOException thrown) {
      LOG.info("the callback of {} failed", operation, thrown);
    }
  }

  private static IOException asIo(@Nullable Throwable thrown) {
    return thrown instanceof IOException io ? io : new IOException(thrown);
  }

  private RetryLoop<Answer> start(OkHttpExchange.Sender sender) {
    if (!executed.compareAndSet(false, true)) {
      throw new IllegalStateException("Already Executed");
    }
    OkHttpExchange exchange =
        new OkHttpExchange(
            operation,
            request,
            sender,
            new OkHttpExchange.Settings(factory.retry().bufferBodiesUpTo(), this::callBack));
    RetryLoop<Answer> running = new RetryLoop<>(operation.plan(), operation.info(), exchange);
    factory.started(this);
    loop = running;
    if (canceled) {
      running.cancel();
    }
    return running;
  }

  private void callBack(Runnable continuation) {
    try {
      factory.client().dispatcher().executorService().execute(continuation);
    } catch (RejectedExecutionException shutDown) {
      continuation.run(); // better on the canceller's thread than never
    }
  }

  // The one sender of execute(): on the calling thread.
  private void execute(Request attempted, Attempt<Answer> attempt, OkHttpExchange exchange)
      throws IOException {
    WireState wire = prepare(attempted, attempt, exchange);
    try {
      exchange.answered(wire.call().execute(), wire);
    } catch (IOException failure) {
      lookForCancellation(wire);
      throw failure;
    } finally {
      factory.wires().remove(wire.call());
    }
  }

  // The one sender of enqueue(): through the dispatcher, with a place in its queue per attempt.
  private void enqueue(Request attempted, Attempt<Answer> attempt, OkHttpExchange exchange) {
    WireState wire = prepare(attempted, attempt, exchange);
    wire.call()
        .enqueue(
            new Callback() {
              @Override
              public void onFailure(Call call, IOException failure) {
                factory.wires().remove(call);
                lookForCancellation(wire);
                attempt.complete(null, failure);
              }

              @Override
              public void onResponse(Call call, Response response) {
                factory.wires().remove(call);
                exchange.answered(response, wire);
              }
            });
  }

  // Whoever cancels OkHttp's own call, the dispatcher say, means the operation.
  private void lookForCancellation(WireState wire) {
    if (wire.cancelledByOthers()) {
      cancel();
    }
  }

  private WireState prepare(Request attempted, Attempt<Answer> attempt, OkHttpExchange exchange) {
    Call call = factory.client().newCall(attempted);
    // No method reference: it would be resolved here, and OkHttp before 5.4 has no such method.
    listeners.forEach(each -> call.addEventListener(each));
    if (timeout.timeoutNanos() > 0) {
      // The rest of the call's own time, which goes on while the caller reads the body.
      call.timeout().timeout(Math.max(1, leftNanos()), TimeUnit.NANOSECONDS);
    }
    WireState wire = exchange.wire(attempt, call);
    factory.wires().put(call, wire);
    attempt.onCancel(call::cancel);
    return wire;
  }

  private long boundNanos() {
    startNanos = nanoTime();
    long bound = operation.boundNanos();
    long own = timeout.timeoutNanos();
    return own > 0 ? Math.min(bound, own) : bound;
  }

  private long leftNanos() {
    return timeout.timeoutNanos() - (nanoTime() - startNanos);
  }

  private long nanoTime() {
    return operation.plan().environment().ticker().getAsLong();
  }

  @Override
  public void cancel() {
    canceled = true;
    RetryLoop<Answer> running = loop;
    if (running != null) {
      running.cancel();
    }
  }

  @Override
  public boolean isExecuted() {
    return executed.get();
  }

  @Override
  public boolean isCanceled() {
    return canceled;
  }

  @Override
  public Timeout timeout() {
    return timeout;
  }

  @Override
  public void addEventListener(EventListener listener) {
    listeners.add(listener);
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
    return prototype().tag(type, make);
  }

  @Override
  public <T> T tag(Class<T> type, Function0<? extends T> make) {
    return prototype().tag(type, make);
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
