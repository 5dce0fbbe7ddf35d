package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.UnwantedBody;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.FirstEvent;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.nio.AsyncDataConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer as it comes in. Its beginning may belong to the attempt: a short body as a
 * whole, an event stream up to its first event. Then the answer is the caller's, or another attempt
 * follows. In that case a short body is read to its end, which frees the connection; otherwise the
 * connection is closed. Used by the thread of the connection.
 */
final class IncomingBody implements AsyncDataConsumer {
  /** The destination of the body. */
  private enum Goes {
    NOT_KNOWN,
    TO_CALLER,
    NOWHERE
  }

  private final AsyncAnswer answer;
  private final Attempt<AsyncAnswer> attempt;
  private final AsyncTransport transport;
  private final int most; // bytes that belong to the attempt
  private final @Nullable FirstEvent event; // null: a body that is read as a whole, or not at all
  private final ByteArrayOutputStream start = new ByteArrayOutputStream(0); // often empty
  private final AtomicBoolean over = new AtomicBoolean(); // an unwanted body is over
  private volatile Goes goes = Goes.NOT_KNOWN;
  private volatile RetryScheduler.@Nullable Task patience;

  IncomingBody(AsyncAnswer answer, Attempt<AsyncAnswer> attempt, AsyncTransport transport) {
    this.answer = answer;
    this.attempt = attempt;
    this.transport = transport;
    EntityDetails details = answer.details();
    HttpOperation operation = transport.operation;
    int whole = details == null ? 0 : BodyStart.most(answer.status(), details, operation);
    this.event = whole > 0 ? null : BodyStart.event(answer.status(), details, operation);
    this.most = event == null ? whole : FirstEvent.MOST_BYTES;
  }

  /** The head has come. */
  void begins() {
    EntityDetails details = answer.details();
    if (details == null) {
      answer.whole(new byte[0]);
    }
    if (most == 0) {
      decide(details == null ? 0 : details.getContentLength());
    }
  }

  /** Has the rules judge the answer. The length of its body is -1 if it is not known. */
  private void decide(long length) {
    if (event != null) {
      answer.begins(event.error());
    }
    if (attempt.head(answer)) {
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
    attempt.complete(answer, null);
  }

  private void giveUp() {
    answer.body().discard();
    endUnwanted(null);
  }

  private void endUnwanted(byte @Nullable [] whole) {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    RetryScheduler.Task waiting = patience;
    if (waiting != null) {
      waiting.cancel();
    }
    if (whole != null) {
      answer.whole(whole);
    }
    transport.unwanted(answer);
    attempt.complete(answer, null);
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    answer.body().updateCapacity(channel);
    switch (goes) {
      case NOT_KNOWN -> channel.update(most + 1); // the rest is asked for later
      case NOWHERE -> channel.update(Integer.MAX_VALUE);
      case TO_CALLER -> {}
    }
  }

  @Override
  public void consume(ByteBuffer data) throws IOException {
    if (goes == Goes.TO_CALLER) {
      answer.body().consume(data);
      return;
    }
    boolean known = goes == Goes.NOT_KNOWN && event != null && event.take(data);
    byte[] part = new byte[data.remaining()];
    data.duplicate().get(part);
    start.write(part, 0, part.length);
    answer.body().consume(data);
    if (goes == Goes.NOT_KNOWN && (known || (event == null && start.size() > most))) {
      decide(-1);
    }
    if (goes == Goes.NOWHERE && start.size() > UnwantedBody.MOST_BYTES) {
      giveUp();
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers)
      throws HttpException, IOException {
    if (goes == Goes.NOT_KNOWN && event != null) {
      event.end();
      decide(-1);
    }
    answer.body().streamEnd(trailers);
  }

  /** The exchange is over. */
  void completed() {
    answer.body().completed();
    if (goes == Goes.NOT_KNOWN) {
      answer.whole(start.toByteArray());
      toCaller();
    } else if (goes == Goes.NOWHERE) {
      endUnwanted(start.toByteArray());
    }
  }

  /** The exchange broke. */
  void failed(Exception cause) {
    if (goes == Goes.NOT_KNOWN && answer.status() < BodyStart.FIRST_FAILURE) {
      attempt.complete(null, cause);
      return;
    }
    answer.body().failed(cause);
    if (goes == Goes.NOT_KNOWN) {
      toCaller(); // the head of a failure is enough
    } else if (goes == Goes.NOWHERE) {
      endUnwanted(null);
    }
  }

  @Override
  public void releaseResources() {
    if (goes == Goes.TO_CALLER) {
      answer.body().releaseResources();
    }
  }
}
