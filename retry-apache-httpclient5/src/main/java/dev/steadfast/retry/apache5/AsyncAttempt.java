package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.UnwantedBody;
import dev.steadfast.retry.http.BodyStart;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncDataConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.jspecify.annotations.Nullable;

/**
 * One attempt as the rest of the client reports it: the head of its answer, the body as it comes
 * in, and the end. When what belongs to the attempt has come, the answer is the caller's, or
 * another attempt follows. If one follows, a short body is read to its end, which frees the
 * connection; a longer one has the connection closed. Used by the thread of the connection.
 */
final class AsyncAttempt implements AsyncExecCallback, AsyncDataConsumer {
  /** The destination of the body. */
  private enum Goes {
    NOT_KNOWN,
    TO_CALLER,
    NOWHERE
  }

  private final AsyncTransport transport;
  private final Attempt<AsyncAnswer> attempt;
  private final WireTrace wire;
  private final AsyncTracingRuntime runtime;
  private final AtomicBoolean over = new AtomicBoolean(); // its exchanges are over

  private @Nullable BodyStart start; // written before the answer, and read after it; null: none
  private volatile @Nullable AsyncAnswer answer; // null: none yet, or one that comes too late
  private volatile Goes goes = Goes.NOT_KNOWN;
  private @Nullable ByteArrayOutputStream read; // of a body that is not, or not yet, the caller's
  private boolean unwantedOver; // guarded by this
  private volatile RetryScheduler.@Nullable Task patience;

  AsyncAttempt(
      AsyncTransport transport,
      Attempt<AsyncAnswer> attempt,
      WireTrace wire,
      AsyncTracingRuntime runtime) {
    this.transport = transport;
    this.attempt = attempt;
    this.wire = wire;
    this.runtime = runtime;
  }

  // ---- the head

  @Override
  public void handleInformationResponse(HttpResponse response) throws HttpException, IOException {
    if (!attempt.stopped()) {
      transport.inform(response);
    }
  }

  @Override
  public @Nullable AsyncDataConsumer handleResponse(
      HttpResponse response, @Nullable EntityDetails details) {
    if (attempt.stopped() || over.get() || answer != null) {
      return null;
    }
    wire.handedBack(response.getCode());
    AsyncAnswer head = new AsyncAnswer(response, details, wire);
    start = details == null ? null : transport.bodyStart(head, details);
    answer = head;
    if (details == null) {
      head.whole(new byte[0]);
      decide(0);
      return null;
    }
    if (start == null) {
      decide(details.getContentLength());
    }
    return this;
  }

  private AsyncAnswer answer() {
    return Objects.requireNonNull(answer);
  }

  /** Has the rules judge the answer. The length of its body is -1 if it is not known. */
  private void decide(long length) {
    if (start != null) {
      answer().begins(start.errorEvent());
    }
    if (attempt.head(answer())) {
      toCaller();
      return;
    }
    goes = Goes.NOWHERE;
    if (length > UnwantedBody.MOST_BYTES) {
      giveUp();
    } else if (length != 0) {
      TimerScheduler timers = TimerScheduler.system();
      patience = timers.settle(UnwantedBody.MOST_NANOS, () -> timers.cancelOnWire(this::giveUp));
    }
  }

  private void toCaller() {
    goes = Goes.TO_CALLER;
    attempt.complete(answer(), null);
  }

  private void giveUp() {
    answer().discard();
    endUnwanted(null);
  }

  private void endUnwanted(byte @Nullable [] whole) {
    synchronized (this) {
      if (unwantedOver) {
        return;
      }
      unwantedOver = true;
    }
    RetryScheduler.Task waiting = patience;
    if (waiting != null) {
      waiting.cancel();
    }
    if (whole != null) {
      answer().whole(whole);
    }
    transport.unwanted(answer());
    attempt.complete(answer(), null);
  }

  // ---- the body

  private ByteArrayOutputStream read() {
    ByteArrayOutputStream known = read == null ? new ByteArrayOutputStream() : read;
    read = known;
    return known;
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    answer().updateCapacity(channel);
    BodyStart now = start;
    if (goes == Goes.NOWHERE) {
      channel.update(Integer.MAX_VALUE);
    } else if (goes == Goes.NOT_KNOWN && now != null) {
      channel.update(now.mostBytes() + 1); // the rest is asked for later
    }
  }

  @Override
  public void consume(ByteBuffer data) throws IOException {
    AsyncAnswer of = answer();
    if (goes == Goes.TO_CALLER) {
      of.consume(data);
      return;
    }
    boolean decides = goes == Goes.NOT_KNOWN && start != null && start.take(data);
    byte[] part = new byte[data.remaining()];
    data.duplicate().get(part);
    read().write(part, 0, part.length);
    of.consume(data);
    if (decides) {
      decide(-1);
    }
    if (goes == Goes.NOWHERE && read().size() > UnwantedBody.MOST_BYTES) {
      giveUp();
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers)
      throws HttpException, IOException {
    AsyncAnswer of = answer();
    if (goes == Goes.NOT_KNOWN && start != null) {
      start.end();
      if (start.awaitsEvent()) {
        decide(-1);
      }
    }
    of.streamEnd(trailers);
  }

  @Override
  public void releaseResources() {
    if (goes == Goes.TO_CALLER) {
      answer().releaseResources();
    }
  }

  // ---- the end

  @Override
  public void completed() {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    runtime.releaseEndpoint();
    AsyncAnswer came = answer;
    if (came == null) {
      fails(new ClientProtocolException("a handler gave no response"));
      return;
    }
    came.completed();
    if (goes == Goes.NOT_KNOWN) {
      came.whole(read().toByteArray());
      toCaller();
    } else if (goes == Goes.NOWHERE) {
      endUnwanted(read().toByteArray());
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
    AsyncAnswer came = answer;
    if (came == null) {
      fails(cause);
    } else {
      breaks(came, AsyncTransport.exception(cause));
    }
  }

  private void breaks(AsyncAnswer came, Exception cause) {
    if (goes == Goes.NOT_KNOWN && start != null && start.isNeeded()) {
      attempt.complete(null, cause);
      return;
    }
    came.failed(cause);
    if (goes == Goes.NOT_KNOWN) {
      toCaller(); // the head of a failure is enough
    } else if (goes == Goes.NOWHERE) {
      endUnwanted(null);
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
