package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.SentBody;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.concurrent.CancellableDependency;
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
    if (Probe.answered(scope.clientContext, retry)) {
      return new BasicClassicHttpResponse(204);
    }
    if (request.containsHeader("Upgrade")) {
      Apache5Retry.options(scope.clientContext).refuseToJournal("an upgrade");
      return chain.proceed(request, scope);
    }
    CallContext before = CallContext.current();
    try {
      return carriedOut(request, scope, chain);
    } catch (IOException | HttpException | RuntimeException | Error thrown) {
      throw thrown;
    } catch (Throwable undeclared) {
      throw new IOException(undeclared);
    } finally {
      CallContext.bind(before);
    }
  }

  private ClassicHttpResponse carriedOut(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain) throws Throwable {
    SentBody body = ClassicTransport.watched(request.getEntity());
    Earlier.Now now =
        Earlier.operation(
            retry,
            new Apache5Views.OfRequest(request, body),
            scope.clientContext,
            scope.execRuntime);
    Proceed proceed = new Proceed(scope, chain);
    ClassicTransport transport = new ClassicTransport(now, request, body, proceed);
    HttpOperation operation = now.operation();
    RetryLoop<Answer> loop = operation.loop(operation.plan(), transport, transport);
    proceed.cancelling(loop::cancel);
    return loop.run(now.boundNanos()).response();
  }

  /** How an attempt goes on to the rest of the client. */
  static final class Proceed {
    private final ExecChain.Scope scope;
    private final ExecChain chain;
    private final CallCancel cancel = new CallCancel();

    Proceed(ExecChain.Scope scope, ExecChain chain) {
      this.scope = scope;
      this.chain = chain;
    }

    void cancelling(Runnable loop) {
      cancel.ends(loop);
      if (scope.originalRequest instanceof CancellableDependency callers) {
        callers.setDependency(cancel);
        if (callers.isCancelled()) {
          cancel.cancel();
        }
      }
    }

    boolean cancelled() {
      return cancel.isCancelled();
    }

    /**
     * A copy of the request that redirects and challenges start from: without what handlers around
     * this one have changed.
     */
    ClassicHttpRequest original() {
      return RequestCopy.of(scope.originalRequest);
    }

    /** Sends one attempt; each has a runtime, and so a connection, of its own. */
    ClassicHttpResponse send(
        ClassicHttpRequest attempted, ClassicHttpRequest original, WireTrace wire)
        throws IOException, HttpException {
      Attempt<?> attempt = wire.attempt();
      CallCancel.OfAttempt stop = cancel.attempt(attempt::stopped);
      TracingRuntime runtime = new TracingRuntime(scope.execRuntime.fork(stop), wire);
      wire.closing(runtime::discardEndpoint);
      attempt.onCancel(stop::cancel);
      ExecChain.Scope own =
          new ExecChain.Scope(
              scope.exchangeId, scope.route, original, runtime, scope.clientContext);
      Runnable unmark = wire.operation().markAttempt();
      try {
        return chain.proceed(attempted, own);
      } catch (IOException | HttpException | RuntimeException | Error thrown) {
        runtime.discardEndpoint();
        throw thrown;
      } finally {
        unmark.run();
      }
    }
  }

  @Override
  public String toString() {
    return "RetryExec(" + retry + ")";
  }
}
