package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncDataConsumer;
import org.jspecify.annotations.Nullable;

/** The callback with which the rest of the client reports one attempt. */
final class AsyncAttempt implements AsyncExecCallback {
  private final Attempt<AsyncAnswer> attempt;
  private final WireTrace wire;
  private final AsyncTracingRuntime runtime;
  private final AsyncTransport transport;
  private final AtomicBoolean over = new AtomicBoolean(); // its exchanges are over

  private volatile @Nullable IncomingBody body; // null: no answer yet, or one that comes too late

  AsyncAttempt(
      Attempt<AsyncAnswer> attempt,
      WireTrace wire,
      AsyncTracingRuntime runtime,
      AsyncTransport transport) {
    this.attempt = attempt;
    this.wire = wire;
    this.runtime = runtime;
    this.transport = transport;
  }

  @Override
  public @Nullable AsyncDataConsumer handleResponse(
      HttpResponse response, @Nullable EntityDetails details) {
    if (attempt.stopped() || over.get() || body != null) {
      return null;
    }
    wire.handedBack(response.getCode());
    IncomingBody made =
        new IncomingBody(new AsyncAnswer(response, details, wire), attempt, transport);
    body = made;
    made.begins();
    return details == null ? null : made;
  }

  @Override
  public void handleInformationResponse(HttpResponse response) throws HttpException, IOException {
    if (!attempt.stopped()) {
      transport.inform(response);
    }
  }

  @Override
  public void completed() {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    runtime.releaseEndpoint();
    IncomingBody to = body;
    if (to != null) {
      to.completed();
    } else {
      fails(new ClientProtocolException("a handler gave no response"));
    }
  }

  @Override
  public void failed(Exception cause) {
    end(cause);
  }

  /**
   * Ends the attempt with an exception that the client or a handler has reported or thrown. A
   * handler may do so while the exchange goes on, or after it.
   */
  void end(Throwable cause) {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    runtime.end();
    wire.cancel();
    IncomingBody to = body;
    if (to != null) {
      to.failed(AsyncTransport.exception(cause));
    } else {
      fails(cause);
    }
  }

  /** The attempt failed before its answer. */
  private void fails(Throwable cause) {
    if (!attempt.stopped()) { // else its end is known already
      wire.fails(cause);
    }
    transport.failed(attempt, cause);
  }
}
