package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.jspecify.annotations.Nullable;

/** How attempts go on to the rest of the client, and what the caller gets in the end. */
final class AsyncCall {
  private final @Nullable AsyncEntityProducer producer;
  private final AsyncExecChain.Scope scope;
  private final AsyncExecChain chain;
  private final AsyncExecCallback callers;
  private final CallCancel cancel = new CallCancel();
  private final BodyTurn turn;
  private volatile @Nullable AsyncAttempt last;

  AsyncCall(
      @Nullable AsyncEntityProducer producer,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callers) {
    this.producer = producer;
    this.scope = scope;
    this.chain = chain;
    this.callers = callers;
    this.turn = new BodyTurn(producer);
  }

  AsyncExecChain.Scope scope() {
    return scope;
  }

  @Nullable AsyncEntityProducer producer() {
    return producer;
  }

  /** Has {@code cancel} of the caller's future end the operation. */
  void cancelling(Runnable loop) {
    cancel.ends(loop);
    scope.cancellableDependency.setDependency(this::cancel);
    if (scope.cancellableDependency.isCancelled()) {
      cancel();
    }
  }

  /**
   * Also closes the connection: HttpClient may have replaced what cancels an exchange by what
   * cancels its lease, which is over.
   */
  private boolean cancel() {
    boolean first = cancel.cancel();
    AsyncAttempt attempt = last;
    if (attempt != null) {
      attempt.stop();
    }
    return first;
  }

  boolean cancelled() {
    return cancel.isCancelled();
  }

  /** Sends one attempt; each has a runtime, and so a connection, of its own. */
  void send(
      HttpRequest attempted,
      Attempt<AsyncAnswer> attempt,
      WireTrace trace,
      AsyncAttempt.Owner owner) {
    turn.begins(trace);
    CallCancel.OfAttempt stop = cancel.attempt(attempt::stopped);
    AsyncWire wire = new AsyncWire(trace, turn, stop);
    AsyncTracingRuntime runtime = new AsyncTracingRuntime(scope.execRuntime.fork(), wire);
    AsyncAttempt callback = new AsyncAttempt(attempt, wire, runtime, owner);
    last = callback;
    trace.closing(callback::stop);
    attempt.onCancel(callback::stop);
    AsyncExecChain.Scope own =
        new AsyncExecChain.Scope(
            scope.exchangeId,
            scope.route,
            attempted,
            stop,
            scope.clientContext,
            runtime,
            scope.scheduler,
            new AtomicInteger(1));
    Runnable unmark = trace.operation().markAttempt();
    try {
      // A copy: the original is what redirects and challenges start from.
      chain.proceed(RequestCopy.of(attempted), producer, own, callback);
    } catch (Throwable thrown) {
      callback.refused(thrown);
    } finally {
      unmark.run();
    }
  }

  void inform(HttpResponse information) throws HttpException, IOException {
    callers.handleInformationResponse(information);
  }

  /** The operation is over. */
  void over(@Nullable AsyncAnswer answer, @Nullable Throwable failure) {
    if (answer != null) {
      answer.handTo(callers);
    } else {
      callers.failed(failure instanceof Exception known ? known : new IOException(failure));
    }
  }
}
