package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
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
  private final BodyTurn turn;

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
        FirstOperation.operation(
            retry,
            new Apache5Views.OfRequest(call.request, call.producer),
            call.scope.clientContext,
            call.scope.execRuntime));
    this.call = call;
    this.turn = new BodyTurn(call.producer);
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
    nothingSent();
    HttpRequest attempted = RequestCopy.of(call.request);
    // Redirects and challenges start from this request, which lacks the changes of handlers around
    // ours.
    HttpRequest original = call.scope.originalRequest;
    boolean begun;
    if (operation.changesHeaders()) {
      original = RequestCopy.of(original);
      begun = beginsWithHeaders(attempt, attempted, original);
    } else {
      begun = attempt.queued() && attempt.begin(attempted);
    }
    if (begun) {
      send(attempted, original, attempt);
    }
  }

  private boolean beginsWithHeaders(
      Attempt<?> attempt, HttpRequest attempted, HttpRequest original) {
    BiConsumer<String, String> header =
        (name, value) -> {
          attempted.setHeader(name, value);
          original.setHeader(name, value);
        };
    operation.headers(attempt.timeoutNanos(), header);
    boolean begun = attempt.queued() && attempt.begin(attempted);
    if (begun) {
      operation.lateHeaders(attempt).forEach(header);
    }
    return begun;
  }

  /** Each attempt has a runtime, and so a connection, of its own. */
  private void send(HttpRequest attempted, HttpRequest original, Attempt<AsyncAnswer> attempt) {
    WireTrace wire = begins(call.request, attempt);
    turn.begins(wire);
    AsyncExecChain.Scope scope = call.scope;
    AsyncTracingRuntime runtime = new AsyncTracingRuntime(scope.execRuntime.fork(), wire, turn);
    AsyncAttempt callback = new AsyncAttempt(attempt, wire, runtime, this);
    wire.closing(runtime::discardEndpoint);
    attempt.onCancel(wire::drop);
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
      answer.body().discard();
    }
    unwanted(answer);
  }

  @Override
  void bound(AsyncAnswer answer, BodyDeadline end) {
    answer.body().bound(end);
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
