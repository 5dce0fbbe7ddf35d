package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.OpenLoop;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.client5.http.async.AsyncExecChainHandler;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.jspecify.annotations.Nullable;

/** The outermost handler of an asynchronous client: one call of the client is one operation. */
final class AsyncRetryExec implements AsyncExecChainHandler {
  private final HttpRetry retry;

  AsyncRetryExec(HttpRetry retry) {
    this.retry = retry;
  }

  @Override
  public void execute(
      HttpRequest request,
      @Nullable AsyncEntityProducer producer,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callback)
      throws HttpException, IOException {
    RetryOptions options = Apache5Retry.options(scope.clientContext);
    if (request.containsHeader("Upgrade")) {
      options.refuseToJournal("an upgrade");
      chain.proceed(request, producer, scope, callback);
      return;
    }
    CallContext before = CallContext.current();
    try {
      start(request, options, new AsyncCall(producer, scope, chain, callback));
    } finally {
      CallContext.bind(before);
    }
  }

  private void start(HttpRequest request, RetryOptions options, AsyncCall call) {
    AsyncExecChain.Scope scope = call.scope();
    RequestView view = new Apache5Views.OfRequest(request, call.producer());
    long now = retry.environment().ticker().getAsLong();
    Earlier earlier = Earlier.in(scope.clientContext, scope.execRuntime);
    HttpOperation again = earlier == null ? null : earlier.again(request, view, options);
    if (earlier == null || again == null) {
      HttpOperation operation = retry.operation(view, options);
      new Earlier(scope.execRuntime, operation, request, now).keepIn(scope.clientContext);
      AsyncTransport transport = new AsyncTransport(operation, request, call, 0);
      RetryLoop<AsyncAnswer> loop = operation.loop(operation.plan(), transport, transport);
      call.cancelling(loop::cancel);
      loop.start(operation.boundNanos(), call::over);
      return;
    }
    long spent = now - earlier.startNanos();
    AsyncTransport transport = new AsyncTransport(again, request, call, spent);
    OpenLoop<AsyncAnswer> loop = OpenLoop.of(again.plan(), again.info(), transport);
    call.cancelling(loop::cancel);
    loop.start(BodyDeadline.left(again.boundNanos(), spent), spent, call::over);
  }

  @Override
  public String toString() {
    return "AsyncRetryExec(" + retry + ")";
  }
}
