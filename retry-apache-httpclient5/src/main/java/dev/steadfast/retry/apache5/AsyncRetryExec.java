package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.SentBody;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
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
    if (request.containsHeader("Upgrade")) {
      Apache5Retry.options(scope.clientContext).refuseToJournal("an upgrade");
      chain.proceed(request, producer, scope, callback);
      return;
    }
    CallContext before = CallContext.current();
    try {
      start(request, new AsyncCall(producer, scope, chain, callback));
    } finally {
      CallContext.bind(before);
    }
  }

  private void start(HttpRequest request, AsyncCall call) {
    AsyncExecChain.Scope scope = call.scope();
    SentBody body = AsyncTransport.watched(call.producer());
    Earlier.Now now =
        Earlier.operation(
            retry,
            new Apache5Views.OfRequest(request, call.producer(), body),
            scope.clientContext,
            scope.execRuntime);
    AsyncTransport transport = new AsyncTransport(now, request, body, call);
    HttpOperation operation = now.operation();
    RetryLoop<AsyncAnswer> loop = operation.loop(operation.plan(), transport, transport);
    call.cancelling(loop::cancel);
    loop.start(now.boundNanos(), call::over);
  }

  @Override
  public String toString() {
    return "AsyncRetryExec(" + retry + ")";
  }
}
