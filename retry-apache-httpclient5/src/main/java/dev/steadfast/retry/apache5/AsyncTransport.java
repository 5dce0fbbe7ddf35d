package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.jspecify.annotations.Nullable;

/** One operation on an asynchronous client. */
final class AsyncTransport extends Apache5Transport<AsyncAnswer> {
  private final Call call;

  /**
   * A call that has reached our handler.
   *
   * @param chain the rest of the client
   * @param callers gets the answer
   */
  record Call(
      HttpRequest request,
      @Nullable AsyncEntityProducer producer,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callers) {}

  AsyncTransport(HttpRetry retry, Call call) {
    super(
        retry,
        new Apache5Views.OfRequest(call.request, call.producer),
        call.scope.clientContext,
        call.scope.execRuntime);
    this.call = call;
  }

  void run() {
    loop(call.scope.cancellableDependency).start(boundNanos(), this::ends);
  }

  private void ends(@Nullable AsyncAnswer answer, @Nullable Throwable failure) {
    if (answer != null) {
      answer.handTo(call.callers);
    } else {
      call.callers.failed(exception(failure));
    }
  }

  static Exception exception(@Nullable Throwable failure) {
    return failure instanceof Exception known ? known : new IOException(failure);
  }

  @Override
  public void start(Attempt<AsyncAnswer> attempt) {
    AsyncExecChain.Scope scope = call.scope;
    HttpRequest attempted = Apache5Views.copy(request);
    HttpRequest first = scope.originalRequest;
    HttpRequest original = operation.changesHeaders() ? Apache5Views.copy(first) : first;
    WireTrace wire = begins(attempt, attempted, original);
    if (wire == null) {
      return;
    }
    // Each attempt has its own runtime, so it also has its own connection.
    AsyncTracingRuntime runtime = new AsyncTracingRuntime(scope.execRuntime.fork(), wire, false);
    AsyncAttempt callback = new AsyncAttempt(this, attempt, wire, runtime);
    wire.closing(runtime::discardEndpoint);
    AsyncExecChain.Scope own =
        new AsyncExecChain.Scope(
            scope.exchangeId,
            scope.route,
            original,
            wire,
            scope.clientContext,
            runtime,
            scope.scheduler,
            new AtomicInteger(1));
    Runnable unmark = operation.markAttempt();
    try {
      call.chain.proceed(attempted, call.producer, own, callback);
    } catch (Throwable thrown) {
      callback.end(thrown);
    } finally {
      unmark.run();
    }
  }

  /** An informational response has come. */
  void inform(HttpResponse information) throws HttpException, IOException {
    call.callers.handleInformationResponse(information);
  }

  @Override
  @Nullable TransportFailure classify(Throwable failure, WireTrace of) {
    return Apache5Failures.classifyAsync(failure, of);
  }

  @Override
  public void discard(AsyncAnswer answer) {
    if (answer.whole() == null) {
      answer.discard();
    }
    unwanted(answer);
  }

  @Override
  void bound(AsyncAnswer answer, BodyDeadline end) {
    answer.bound(end);
  }

  @Override
  Throwable cancelled() {
    return new CancellationException("Request execution cancelled");
  }

  @Override
  AsyncAnswer kept(ResponseView head, byte[] bytes) {
    return AsyncAnswer.kept(head, bytes);
  }
}
