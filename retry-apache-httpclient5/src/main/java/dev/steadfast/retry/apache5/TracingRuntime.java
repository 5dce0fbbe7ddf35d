package dev.steadfast.retry.apache5;

import dev.steadfast.retry.apache5.WireTrace.Phase;
import java.io.IOException;
import org.apache.hc.client5.http.EndpointInfo;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.classic.ExecRuntime;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.io.HttpResponseInformationCallback;
import org.apache.hc.core5.util.TimeValue;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one attempt. This is the innermost place of HttpClient that a handler can get
 * at: every request of the attempt goes through it, as it will be written, whatever handlers and
 * interceptors have made of it.
 */
final class TracingRuntime implements ExecRuntime {
  private final ExecRuntime connection;
  private final WireTrace wire;
  private final boolean forked;

  TracingRuntime(ExecRuntime connection, WireTrace wire) {
    this(connection, wire, false);
  }

  private TracingRuntime(ExecRuntime connection, WireTrace wire, boolean forked) {
    this.connection = connection;
    this.wire = wire;
    this.forked = forked;
  }

  @Override
  public ExecRuntime fork(CancellableDependency cancellable) {
    return new TracingRuntime(connection.fork(cancellable), wire, true);
  }

  @Override
  public ClassicHttpResponse execute(
      String id, ClassicHttpRequest request, HttpClientContext context)
      throws IOException, HttpException {
    return traced(request, context, () -> connection.execute(id, request, context));
  }

  @Override
  public ClassicHttpResponse execute(
      String id,
      ClassicHttpRequest request,
      @Nullable HttpResponseInformationCallback information,
      HttpClientContext context)
      throws IOException, HttpException {
    return traced(request, context, () -> connection.execute(id, request, information, context));
  }

  /** Whether another thread sends than that of the call, as a cache does to renew an entry. */
  private boolean isBeside() {
    return forked && !wire.isOnItsThread();
  }

  /** An exchange on the connection. */
  private interface Exchange<T> {
    T carryOut() throws IOException, HttpException;
  }

  private ClassicHttpResponse traced(
      ClassicHttpRequest request, HttpClientContext context, Exchange<ClassicHttpResponse> exchange)
      throws IOException, HttpException {
    if (Method.CONNECT.isSame(request.getMethod())) {
      return throwing(Phase.CONNECT, () -> tunnelled(exchange));
    }
    if (isBeside()) {
      wire.beside(request);
      return exchange.carryOut();
    }
    if (!connection.isEndpointConnected()) {
      connectEndpoint(context); // else a failure to connect would count as one of the exchange
    }
    return throwing(Phase.EXCHANGE, () -> exchanged(request, exchange));
  }

  private ClassicHttpResponse tunnelled(Exchange<ClassicHttpResponse> exchange)
      throws IOException, HttpException {
    ClassicHttpResponse answer = exchange.carryOut();
    wire.tunnelled();
    return answer;
  }

  private ClassicHttpResponse exchanged(
      ClassicHttpRequest request, Exchange<ClassicHttpResponse> exchange)
      throws IOException, HttpException {
    if (connection.isExecutionAborted() || !wire.sends(request)) {
      throw new RequestFailedException("Request aborted");
    }
    HttpEntity entity = request.getEntity();
    if (entity == null) {
      return answered(exchange);
    }
    request.setEntity(wire.watched(entity));
    try {
      return answered(exchange);
    } finally {
      request.setEntity(entity);
    }
  }

  private ClassicHttpResponse answered(Exchange<ClassicHttpResponse> exchange)
      throws IOException, HttpException {
    ClassicHttpResponse answer = exchange.carryOut();
    wire.answered(answer);
    wire.at(Phase.HANDLERS);
    return answer;
  }

  private <T> T throwing(Phase phase, Exchange<T> step) throws IOException, HttpException {
    wire.at(phase);
    try {
      return step.carryOut();
    } catch (IOException | HttpException | RuntimeException | Error thrown) {
      wire.leaves(thrown);
      throw thrown;
    }
  }

  private void tracing(Phase phase, Exchange<Boolean> step) throws IOException {
    try {
      throwing(phase, step);
    } catch (HttpException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public void acquireEndpoint(
      String id, HttpRoute route, @Nullable Object state, HttpClientContext context)
      throws IOException {
    if (isBeside()) {
      connection.acquireEndpoint(id, route, state, context);
      return;
    }
    tracing(
        Phase.LEASE,
        () -> {
          connection.acquireEndpoint(id, route, state, context);
          wire.leased(connection.isEndpointConnected());
          return true;
        });
  }

  @Override
  public void connectEndpoint(HttpClientContext context) throws IOException {
    if (isBeside()) {
      connection.connectEndpoint(context);
      return;
    }
    tracing(
        Phase.CONNECT,
        () -> {
          connection.connectEndpoint(context);
          return true;
        });
  }

  @Override
  public void upgradeTls(HttpClientContext context) throws IOException {
    connection.upgradeTls(context);
  }

  @Override
  public boolean isExecutionAborted() {
    return connection.isExecutionAborted();
  }

  @Override
  public boolean isEndpointAcquired() {
    return connection.isEndpointAcquired();
  }

  @Override
  public void releaseEndpoint() {
    connection.releaseEndpoint();
  }

  @Override
  public void discardEndpoint() {
    connection.discardEndpoint();
  }

  @Override
  public boolean isEndpointConnected() {
    return connection.isEndpointConnected();
  }

  @Override
  public void disconnectEndpoint() throws IOException {
    connection.disconnectEndpoint();
  }

  @Override
  public EndpointInfo getEndpointInfo() {
    return connection.getEndpointInfo();
  }

  @Override
  public boolean isConnectionReusable() {
    return connection.isConnectionReusable();
  }

  @Override
  public void markConnectionReusable(@Nullable Object state, TimeValue validity) {
    connection.markConnectionReusable(state, validity);
  }

  @Override
  public void markConnectionNonReusable() {
    connection.markConnectionNonReusable();
  }
}
