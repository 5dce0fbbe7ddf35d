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

  TracingRuntime(ExecRuntime connection, WireTrace wire, boolean forked) {
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

  /** Whether a thread other than the call's is sending, as a cache does to renew an entry. */
  private boolean isBeside() {
    return forked && !wire.isOnItsThread();
  }

  /** Something that the connection does. */
  private interface RuntimeCall<T, E extends Exception> {
    T carryOut() throws E, IOException;
  }

  private <T, E extends Exception> T at(Place place, RuntimeCall<T, E> step) throws E, IOException {
    if (isBeside()) {
      return step.carryOut();
    }
    wire.at(place);
    try {
      return step.carryOut();
    } catch (Throwable thrown) {
      wire.leaves(thrown);
      throw thrown;
    }
  }

  private ClassicHttpResponse traced(
      ClassicHttpRequest request,
      HttpClientContext context,
      RuntimeCall<ClassicHttpResponse, HttpException> exchange)
      throws IOException, HttpException {
    if (Method.CONNECT.isSame(request.getMethod())) {
      ClassicHttpResponse answer = at(Place.CONNECT, exchange);
      wire.tunnelled();
      return answer;
    }
    if (isBeside()) {
      wire.beside(request);
      return exchange.carryOut();
    }
    if (!connection.isEndpointConnected()) {
      connectEndpoint(context); // else a failure to connect would count as one of the exchange
    }
    return at(Place.EXCHANGE, () -> exchanged(request, exchange));
  }

  private ClassicHttpResponse exchanged(
      ClassicHttpRequest request, RuntimeCall<ClassicHttpResponse, HttpException> exchange)
      throws IOException, HttpException {
    if (connection.isExecutionAborted() || !wire.sends(request)) {
      throw new RequestFailedException("Request aborted");
    }
    HttpEntity entity = request.getEntity();
    if (entity != null) {
      request.setEntity(new WatchedEntity(entity, wire));
    }
    ClassicHttpResponse answer;
    try {
      answer = exchange.carryOut();
    } finally {
      request.setEntity(entity);
    }
    wire.answered(request, answer);
    return answer;
  }

  @Override
  public void acquireEndpoint(
      String id, HttpRoute route, @Nullable Object state, HttpClientContext context)
      throws IOException {
    boolean connected =
        at(
            Place.LEASE,
            () -> {
              connection.acquireEndpoint(id, route, state, context);
              return connection.isEndpointConnected();
            });
    if (!isBeside()) {
      wire.leased(connected);
    }
  }

  @Override
  public void connectEndpoint(HttpClientContext context) throws IOException {
    at(
        Place.CONNECT,
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
