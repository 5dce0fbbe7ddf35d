package dev.steadfast.retry.apache5;

import dev.steadfast.retry.apache5.WireTrace.Place;
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
  private interface Exchange {
    ClassicHttpResponse carryOut() throws IOException, HttpException;
  }

  private ClassicHttpResponse traced(
      ClassicHttpRequest request, HttpClientContext context, Exchange exchange)
      throws IOException, HttpException {
    if (Method.CONNECT.isSame(request.getMethod())) {
      return throwing(Place.CONNECT, () -> tunnelled(exchange));
    }
    if (isBeside()) {
      wire.beside(request);
      return exchange.carryOut();
    }
    if (!connection.isEndpointConnected()) {
      connectEndpoint(context); // else a failure to connect would count as one of the exchange
    }
    return throwing(Place.EXCHANGE, () -> exchanged(request, exchange));
  }

  private ClassicHttpResponse tunnelled(Exchange exchange) throws IOException, HttpException {
    ClassicHttpResponse answer = exchange.carryOut();
    wire.tunnelled();
    return answer;
  }

  private ClassicHttpResponse exchanged(ClassicHttpRequest request, Exchange exchange)
      throws IOException, HttpException {
    if (connection.isExecutionAborted() || !wire.sends(request)) {
      throw new RequestFailedException("Request aborted");
    }
    HttpEntity entity = request.getEntity();
    if (entity == null) {
      return answered(exchange);
    }
    request.setEntity(new WatchedEntity(entity, wire));
    try {
      return answered(exchange);
    } finally {
      request.setEntity(entity);
    }
  }

  private ClassicHttpResponse answered(Exchange exchange) throws IOException, HttpException {
    ClassicHttpResponse answer = exchange.carryOut();
    wire.answered(answer);
    wire.at(Place.HANDLERS);
    return answer;
  }

  private ClassicHttpResponse throwing(Place place, Exchange exchange)
      throws IOException, HttpException {
    wire.at(place);
    try {
      return exchange.carryOut();
    } catch (IOException | HttpException | RuntimeException | Error thrown) {
      wire.leaves(thrown);
      throw thrown;
    }
  }

  /** A step on the way to a connection. */
  private interface Step {
    void carryOut() throws IOException;
  }

  private void connecting(Place place, Step step) throws IOException {
    if (isBeside()) {
      step.carryOut();
      return;
    }
    wire.at(place);
    try {
      step.carryOut();
    } catch (IOException | RuntimeException | Error thrown) {
      wire.leaves(thrown);
      throw thrown;
    }
  }

  @Override
  public void acquireEndpoint(
      String id, HttpRoute route, @Nullable Object state, HttpClientContext context)
      throws IOException {
    connecting(Place.LEASE, () -> connection.acquireEndpoint(id, route, state, context));
    if (!isBeside()) {
      wire.leased(connection.isEndpointConnected());
    }
  }

  @Override
  public void connectEndpoint(HttpClientContext context) throws IOException {
    connecting(Place.CONNECT, () -> connection.connectEndpoint(context));
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
