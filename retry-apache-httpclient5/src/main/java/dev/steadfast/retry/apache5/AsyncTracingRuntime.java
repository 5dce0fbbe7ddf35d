package dev.steadfast.retry.apache5;

import dev.steadfast.retry.apache5.WireTrace.Place;
import java.io.InterruptedIOException;
import java.util.function.Supplier;
import org.apache.hc.client5.http.EndpointInfo;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.async.AsyncExecRuntime;
import org.apache.hc.client5.http.impl.Operations;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.util.TimeValue;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one attempt of an asynchronous client: the innermost place of HttpClient that a
 * handler can get at. Every request of the attempt goes through it, as it will be written.
 */
final class AsyncTracingRuntime implements AsyncExecRuntime {
  private final AsyncExecRuntime connection;
  private final WireTrace wire;
  private final boolean beside; // a handler has forked it, and may use it at the same time
  private volatile @Nullable TracedExchange exchange;

  AsyncTracingRuntime(AsyncExecRuntime connection, WireTrace wire, boolean beside) {
    this.connection = connection;
    this.wire = wire;
    this.beside = beside;
  }

  @Override
  public AsyncExecRuntime fork() {
    return new AsyncTracingRuntime(connection.fork(), wire, true);
  }

  private void at(Place place) {
    if (!beside) {
      wire.at(place);
    }
  }

  private Cancellable leaving(Supplier<Cancellable> step) {
    try {
      return step.get();
    } catch (RuntimeException | Error thrown) {
      if (!beside) {
        wire.leaves(thrown);
      }
      throw thrown;
    }
  }

  @Override
  public Cancellable acquireEndpoint(
      String id,
      HttpRoute route,
      @Nullable Object state,
      HttpClientContext context,
      FutureCallback<AsyncExecRuntime> callback) {
    at(Place.LEASE);
    return leaving(
        () -> connection.acquireEndpoint(id, route, state, context, new Connecting(callback)));
  }

  @Override
  public Cancellable connectEndpoint(
      HttpClientContext context, FutureCallback<AsyncExecRuntime> callback) {
    at(Place.CONNECT);
    return leaving(() -> connection.connectEndpoint(context, new Connecting(callback)));
  }

  /** A step on the way to a connection, which is not kept once the attempt is over. */
  private final class Connecting implements FutureCallback<AsyncExecRuntime> {
    private final @Nullable FutureCallback<AsyncExecRuntime> client;

    Connecting(@Nullable FutureCallback<AsyncExecRuntime> client) {
      this.client = client;
    }

    @Override
    public void completed(AsyncExecRuntime result) {
      if (wire.isCancelled()) {
        connection.discardEndpoint();
        failed(new InterruptedIOException("the attempt is over"));
      } else if (client != null) {
        client.completed(AsyncTracingRuntime.this);
      }
    }

    @Override
    public void failed(Exception cause) {
      if (!beside) {
        wire.leaves(cause);
      }
      if (client != null) {
        client.failed(cause);
      }
    }

    @Override
    public void cancelled() {
      failed(new InterruptedIOException("cancelled"));
    }
  }

  @Override
  public Cancellable execute(
      String id, AsyncClientExchangeHandler handler, HttpClientContext context) {
    TracedExchange traced = new TracedExchange(handler, wire, beside);
    if (wire.isCancelled()) {
      traced.failed(new InterruptedIOException("the attempt is over"));
      return Operations.nonCancellable();
    }
    exchange = traced;
    at(connection.isEndpointConnected() ? Place.EXCHANGE : Place.CONNECT);
    return leaving(() -> connection.execute(id, traced, context));
  }

  @Override
  public void upgradeTls(HttpClientContext context) {
    connection.upgradeTls(context);
  }

  @Override
  public void upgradeTls(
      HttpClientContext context, @Nullable FutureCallback<AsyncExecRuntime> callback) {
    connection.upgradeTls(context, new Connecting(callback));
  }

  @Override
  public void releaseEndpoint() {
    connection.releaseEndpoint();
  }

  /** Gives the connection back if nothing is under way on it, else closes it. */
  void end() {
    TracedExchange last = exchange;
    if (last != null && (last.isWhole() || last.isReset())) {
      connection.releaseEndpoint();
    } else {
      connection.discardEndpoint();
    }
  }

  @Override
  public void discardEndpoint() {
    connection.discardEndpoint();
  }

  @Override
  public boolean isEndpointAcquired() {
    return connection.isEndpointAcquired();
  }

  @Override
  public boolean isEndpointConnected() {
    return connection.isEndpointConnected();
  }

  @Override
  public void disconnectEndpoint() {
    connection.disconnectEndpoint();
  }

  @Override
  public EndpointInfo getEndpointInfo() {
    return connection.getEndpointInfo();
  }

  @Override
  public boolean validateConnection() {
    return connection.validateConnection();
  }

  @Override
  public void markConnectionReusable(@Nullable Object state, TimeValue validity) {
    connection.markConnectionReusable(state, validity);
  }

  @Override
  public void markConnectionNonReusable() {
    TracedExchange last = exchange;
    if (last == null || !last.isReset()) { // else other calls on it would be lost
      connection.markConnectionNonReusable();
    }
  }
}
