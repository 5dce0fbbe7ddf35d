package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;

/** The outermost handler: one call of the client is one operation. */
final class RetryExec implements ExecChainHandler {
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
  public String toString() {
    return "RetryExec(" + retry + ")";
  }
}
