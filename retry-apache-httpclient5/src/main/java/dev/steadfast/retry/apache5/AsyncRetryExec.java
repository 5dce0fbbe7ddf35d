package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.CallContext;
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
    if (Apache5Retry.untouched(request, Apache5Retry.options(scope.clientContext))) {
      chain.proceed(request, producer, scope, callback);
      return;
    }
    CallContext before = CallContext.current();
    try {
      new AsyncTransport(retry, new AsyncTransport.Call(request, producer, scope, chain, callback))
          .run();
    } finally {
      CallContext.bind(before);
    }
  }

  @Override
  public String toString() {
    return "AsyncRetryExec(" + retry + ")";
  }
}
