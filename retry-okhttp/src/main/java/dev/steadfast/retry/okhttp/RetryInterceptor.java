package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.RepeatableLoop;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Retries within an {@link OkHttpClient}, for SDKs that take nothing else. Prefer {@link
 * RetryingCallFactory}: an interceptor that waits holds its thread and, for enqueued calls, one of
 * the dispatcher's places (five per host by default), so that a few calls that wait for a retry
 * stop all others to that host.
 *
 * <p>It cannot cancel one attempt without cancelling the call, so it bounds an attempt by the
 * connect, read and write timeouts: each is lowered to the attempt timeout until the response head
 * is there, and a server that keeps sending single bytes can exceed it. It cancels the call at the
 * deadline of the operation. The call timeout is OkHttp's and bounds the whole.
 *
 * <p>Application interceptors added before it run once per call, those added after it once per
 * attempt. If one of the first proceeds again, to send a new token for example, the same request
 * (method, URL and body) goes on with the same operation: it keeps its key, and attempts, budget
 * and deadline are those of the call. Another request is an operation of its own, under the
 * deadline of the call. Listeners learn of the end when the call is over.
 *
 * <p>A call keeps its HTTP/2 connection for all its attempts, however silent it is, until OkHttp
 * itself takes it for dead: a second after a timeout. So {@link
 * HttpRetry.Builder#leaveDeadConnections} has no effect here.
 *
 * <p>A cancellation during a wait is noticed within 50 ms before OkHttp 5.4, and at once since
 * then. A call factory such as that of {@code OkHttpTelemetry} may wrap a client with this
 * interceptor, and then surrounds the operation. With {@link RetryingCallFactory#wrap(OkHttpClient,
 * java.util.function.Function, HttpRetry)} it surrounds each attempt. Operations of a journal are
 * enlisted and resumed through a {@link RetryingCallFactory} around the same client. A request that
 * {@link RetryingCallFactory#newCall} refuses with an {@link IllegalArgumentException}, such as one
 * with a malformed key, fails with an {@link IOException} here. Immutable and safe for use by many
 * threads.
 */
public final class RetryInterceptor implements Interceptor {
  private final HttpRetry retry;
  private final LiveCalls registry;
  private final CallContextCapture callContext;
  private final AroundCalls around;

  private RetryInterceptor(
      HttpRetry retry, LiveCalls registry, CallContextCapture callContext, AroundCalls around) {
    this.retry = retry;
    this.registry = registry;
    this.callContext = callContext;
    this.around = around;
  }

  /**
   * Adds both halves to a client: this application interceptor, and the network interceptors that
   * keep OkHttp from resending by itself and see what goes over the wire.
   *
   * <p>Add the client's own interceptors before this one, because Steadfast does not see what a
   * later one does. A later application interceptor runs once per attempt. If it sends requests
   * through another client, this is noticed only when it returns the answer. A later network
   * interceptor can change a request unseen, unless the request is answered. An application
   * interceptor that is added afterwards sees what OkHttp sees: a 503 or 408 that OkHttp would
   * resend at once has one more {@code Retry-After} line, and the failure of a request that was
   * sent is a {@link java.net.ProtocolException} whose cause is the real one. The caller gets the
   * headers as the server sent them, and the real exception if the interceptor passes on what it
   * got. Clients that are made by {@link OkHttpClient#newBuilder} keep both halves as long as their
   * lists of interceptors are not cleared. Where the network half is missing, a warning is logged
   * at the first answer, and from then on nothing counts as unsent.
   *
   * <p>Set the client's event listener and timeouts before. A listener that is set afterwards
   * replaces the one with which this interceptor learns the scope of an enqueued call, and the
   * context that {@link HttpRetry.Builder#context} carries. That context is the one in which the
   * call was made with {@code newCall}; it is around the client's interceptors, and not around the
   * callback.
   *
   * @param builder the builder of the client
   * @param retry the configuration
   * @return the builder
   * @throws IllegalStateException if the builder has a retry interceptor already, or if OkHttp 3 is
   *     on the class path
   * @throws IllegalArgumentException if the configuration has an {@link
   *     dev.steadfast.retry.limit.AdaptiveLimit} and neither it nor the client has a timeout; or if
   *     the client is one that a {@link RetryingCallFactory} has derived
   */
  public static OkHttpClient.Builder addTo(OkHttpClient.Builder builder, HttpRetry retry) {
    OneOkHttp.require();
    Checks.notNull("builder", builder);
    if (builder.interceptors().stream().anyMatch(RetryInterceptor.class::isInstance)) {
      throw new IllegalStateException("the client has a RetryInterceptor already");
    }
    OuterHalf.requireNotWithinFactory(builder.interceptors());
    Checks.notNull("retry", retry);
    OkHttpClient client = builder.build(); // the builder does not show what it has
    LiveCalls registry = LiveCalls.of(client);
    CallTimeouts.requireEndOfAttempts(client, retry);
    CallContextCapture callContext =
        CallContextCapture.addTo(builder, client.eventListenerFactory(), retry.plan().context());
    AroundCalls around = new AroundCalls(retry.environment().ticker(), callContext);
    if (!client.interceptors().isEmpty()) {
      // within the caller's context, and before all interceptors of the user's
      builder.interceptors().add(retry.plan().context() == null ? 0 : 1, around);
    }
    builder.addInterceptor(new RetryInterceptor(retry, registry, callContext, around));
    ResendSuppressor.addTo(builder, registry);
    return builder;
  }

  LiveCalls registry() {
    return registry;
  }

  AroundCalls around() {
    return around;
  }

  CallContextCapture callContext() {
    return callContext;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request request = chain.request();
    if (untouched(request)) {
      return chain.proceed(request);
    }
    CallContext before = CallContext.bind(callContext.of(chain.call()));
    try {
      return retried(chain, request);
    } finally {
      CallContext.bind(before);
    }
  }

  private Response retried(Chain chain, Request request) throws IOException {
    CallOperations operations = around.of(chain.call());
    OpenOperation again = operations == null ? null : operations.take(request, options(request));
    try {
      return again == null || operations == null
          ? first(chain, request, operations)
          : again(chain, again, operations);
    } catch (IOException | RuntimeException | Error thrown) {
      throw thrown;
    } catch (Throwable thrown) {
      throw new IOException(thrown);
    }
  }

  private Response first(Chain chain, Request request, @Nullable CallOperations operations)
      throws Throwable {
    HttpOperation operation = operation(request);
    long spent = operations == null ? 0 : operations.sinceFirstNanos();
    CancelWatch watch = new CancelWatch(chain.call(), operation.plan());
    RetryPlan plan = watch.in(operation.plan());
    Proceed proceed = new Proceed(chain, registry, watch, spent);
    OkHttpTransport transport = new OkHttpTransport(operation, request, proceed);
    RepeatableLoop<OkHttpAnswer> open =
        operations == null ? null : operation.openLoop(plan, transport);
    long bound = boundNanos(chain.call(), operation, spent);
    if (open == null || operations == null) {
      RetryLoop<OkHttpAnswer> loop = operation.loop(plan, transport, transport);
      try (watch) {
        watch.start(loop::cancel);
        if (operation.keepsAnswerBytes() > 0) {
          watch.throughout(); // the journal may block, and OkHttp does not end that
        }
        return loop.run(bound).response();
      }
    }
    try (watch) {
      watch.start(open::cancel);
      return open.run(bound).response();
    } finally {
      operations.ended(new OpenOperation(operation, request, open, watch));
    }
  }

  private Response again(Chain chain, OpenOperation same, CallOperations operations)
      throws Throwable {
    long spent = operations.sinceFirstNanos();
    Proceed proceed = new Proceed(chain, registry, same.watch(), spent);
    OkHttpTransport transport = new OkHttpTransport(same.operation(), same.request(), proceed);
    try (CancelWatch watch = same.watch()) {
      watch.start(same.loop()::cancel);
      long bound = boundNanos(chain.call(), same.operation(), spent);
      return same.loop().runAgain(transport, bound).response();
    } finally {
      operations.ended(same);
    }
  }

  private long boundNanos(Call call, HttpOperation operation, long spentNanos) {
    CallOperations operations = around.of(call);
    long elapsed = operations == null ? 0 : operations.sinceStartNanos();
    return Math.min(
        Durations.left(operation.boundNanos(), spentNanos),
        CallTimeouts.boundNanos(call.timeout(), elapsed));
  }

  private static RetryOptions options(Request request) throws IOException {
    try {
      return OkHttpViews.options(request);
    } catch (IllegalArgumentException refused) {
      throw failure(refused);
    }
  }

  private static boolean untouched(Request request) throws IOException {
    try {
      return OkHttpViews.untouched(request);
    } catch (IllegalArgumentException refused) {
      throw failure(refused);
    }
  }

  private HttpOperation operation(Request request) throws IOException {
    try {
      return retry.operation(new CallersRequest(request), OkHttpViews.options(request));
    } catch (IllegalArgumentException refused) {
      throw failure(refused);
    }
  }

  // An interceptor that throws anything else ends the dispatcher's thread: on Android, the process.
  private static IOException failure(IllegalArgumentException refused) {
    return new IOException(refused.getMessage(), refused);
  }

  /** Makes an attempt by going on with the chain. */
  private record Proceed(Chain chain, LiveCalls registry, CancelWatch watch, long spentNanos)
      implements OkHttpTransport.AttemptSender {
    @Override
    public void send(Request request, Attempt<OkHttpAnswer> attempt, OkHttpTransport transport)
        throws IOException {
      WireTrace wire = transport.wire(attempt, chain.call(), registry);
      InterceptorBounds bounds = wire.bounded();
      registry.put(chain.call(), wire);
      Runnable unmark = wire.markAttempt();
      watch.pause();
      try {
        Chain bounded = bounded(ownTimeoutNanos(attempt));
        Response response = wire.attempted(bounded, request, true);
        transport.answered(response, wire, attempt);
        if (bounded.readTimeoutMillis() != chain.readTimeoutMillis()
            && !AttemptBodies.isWhole(
                new OkHttpAnswer(response, wire, null), transport.operation())) {
          bounds.leaveBodyTo(response, chain.readTimeoutMillis());
        }
      } catch (IOException thrown) {
        if (!transport.endedAsBefore(wire, attempt)) {
          throw thrown;
        }
      } finally {
        watch.goOn();
        unmark.run();
        bounds.end();
        registry.remove(chain.call());
      }
    }

    /**
     * The time of the attempt, if it is shorter than that of the operation. The end of the
     * operation has a timer.
     */
    private static long ownTimeoutNanos(Attempt<OkHttpAnswer> attempt) {
      long own = attempt.timeoutNanos();
      return own < attempt.remainingNanos() ? own : Long.MAX_VALUE;
    }

    private Chain bounded(long nanos) {
      if (nanos == Long.MAX_VALUE) {
        return chain;
      }
      long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999));
      int most = (int) Math.min(Integer.MAX_VALUE, millis);
      return chain
          .withConnectTimeout(lower(chain.connectTimeoutMillis(), most), TimeUnit.MILLISECONDS)
          .withReadTimeout(lower(chain.readTimeoutMillis(), most), TimeUnit.MILLISECONDS)
          .withWriteTimeout(lower(chain.writeTimeoutMillis(), most), TimeUnit.MILLISECONDS);
    }

    // 0 means no timeout in OkHttp.
    private static int lower(int configured, int most) {
      return configured == 0 ? most : Math.min(configured, most);
    }

    @Override
    public TransportFailure failed(
        WireTrace wire, TransportFailure failure, OkHttpTransport transport) {
      return failure;
    }

    @Override
    public boolean boundsAttempts() {
      return true;
    }
  }

  @Override
  public String toString() {
    return "RetryInterceptor(" + retry + ")";
  }
}
