package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.internal.FirstEvent;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncDataConsumer;
import org.jspecify.annotations.Nullable;

/** Hears the rest of the client tell of one attempt, and judges the head of its answer at once. */
final class AsyncAttempt implements AsyncExecCallback {
  private final Attempt<AsyncAnswer> attempt;
  private final WireTrace wire;
  private final CallCancel.OfAttempt stop;
  private final AsyncTracingRuntime runtime;
  private final Owner owner;
  private final AtomicBoolean over = new AtomicBoolean(); // its exchanges are

  private volatile @Nullable Taker taker; // null: no answer yet, or one that comes too late

  /** The operation. */
  interface Owner {
    /** The attempt has failed before its answer. */
    void failed(Attempt<AsyncAnswer> attempt, Throwable cause);

    /** An informational response has come. */
    void inform(HttpResponse information) throws HttpException, IOException;

    /** Another attempt follows this answer. */
    void unwanted(AsyncAnswer answer);
  }

  /** Takes the body of an answer, and learns how it ends. */
  interface Taker extends AsyncDataConsumer {
    /** The exchange is over. */
    void completed();

    /**
     * The exchange broke.
     *
     * @param cause what it broke with
     */
    void failed(Exception cause);
  }

  AsyncAttempt(
      Attempt<AsyncAnswer> attempt, AsyncWire wire, AsyncTracingRuntime runtime, Owner owner) {
    this.attempt = attempt;
    this.wire = wire.trace();
    this.stop = wire.stop();
    this.runtime = runtime;
    this.owner = owner;
  }

  /** Ends the attempt on the wire, wherever it is. */
  void stop() {
    stop.cancel();
    runtime.discardEndpoint();
  }

  /** Nothing more of the attempt may happen; what is under way ends. */
  private void end() {
    runtime.end();
    stop.cancel();
  }

  /** Whether its exchanges are over. */
  boolean isOver() {
    return over.get();
  }

  @Override
  public @Nullable AsyncDataConsumer handleResponse(
      HttpResponse response, @Nullable EntityDetails details) {
    if (attempt.stopped() || isOver() || taker != null) {
      return null;
    }
    wire.handedBack(response.getCode());
    AsyncAnswer answer = new AsyncAnswer(response, details, wire, new BodyRelay(this));
    Taker made = taker(answer, details);
    taker = made;
    if (made instanceof BodyRelay) {
      attempt.complete(answer, null);
    } else if (made instanceof UnwantedBody unwanted) {
      unwanted.begins(details == null ? 0 : details.getContentLength());
    }
    return details == null ? null : made;
  }

  private Taker taker(AsyncAnswer answer, @Nullable EntityDetails details) {
    int most = details == null ? 0 : BodyStart.most(answer.status(), details, wire.operation());
    if (most > 0) {
      return new HeldStart(answer, attempt, owner, most);
    }
    if (details == null) {
      answer.whole(new byte[0]);
    }
    FirstEvent event = BodyStart.event(answer.status(), details, wire.operation());
    if (event != null) {
      return new HeldStart(answer, attempt, owner, event);
    }
    return attempt.head(answer) ? answer.body() : new UnwantedBody(answer, attempt, owner);
  }

  @Override
  public void handleInformationResponse(HttpResponse response) throws HttpException, IOException {
    if (!attempt.stopped()) {
      owner.inform(response);
    }
  }

  @Override
  public void completed() {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    runtime.releaseEndpoint();
    Taker to = taker;
    if (to != null) {
      to.completed();
    } else {
      end(new ClientProtocolException("a handler gave no response"));
    }
  }

  @Override
  public void failed(Exception cause) {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    end(); // a handler may say so while the exchange goes on, or after it
    Taker to = taker;
    if (to != null) {
      to.failed(cause);
    } else {
      end(cause);
    }
  }

  /** The attempt failed before its answer. */
  private void end(Throwable cause) {
    if (!attempt.stopped()) { // else it fails for that
      wire.fails(cause);
    }
    owner.failed(attempt, cause);
  }

  /** The client, or a handler, threw before it went on. */
  void refused(Throwable thrown) {
    if (over.compareAndSet(false, true)) {
      end();
      end(thrown);
    }
  }
}
