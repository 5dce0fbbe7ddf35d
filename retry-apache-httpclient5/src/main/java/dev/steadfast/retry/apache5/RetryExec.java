package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.client5.http.async.AsyncExecChainHandler;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.jspecify.annotations.Nullable;

/** The outermost handler of both kinds of client: one call of the client is one operation. */
final class RetryExec implements ExecChainHandler, AsyncExecChainHandler {
  private final HttpRetry retry;

  RetryExec(HttpRetry retry) {
    this.retry = retry;
  }

  @Override
  public ClassicHttpResponse execute(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    if (RetryLookup.answered(scope.clientContext, retry)) {
      return new BasicClassicHttpResponse(204);
    }
    if (Apache5Retry.untouched(request, Apache5Retry.options(scope.clientContext))) {
      return chain.proceed(request, scope);
    }
    CallContext before = CallContext.current();
    try {
      return new ClassicTransport(retry, request, scope, chain).run();
    } catch (IOException | HttpException | RuntimeException | Error thrown) {
      throw thrown;
    } catch (Throwable undeclared) {
      throw new IOException(undeclared);
    } finally {
      CallContext.bind(before);
    }
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
    return "RetryExec(" + retry + ")";
  }
}
