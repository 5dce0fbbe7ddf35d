package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer that another attempt follows. A short one is read to its end, which frees
 * the connection; otherwise the connection is closed. Then the attempt is over.
 */
final class UnwantedBody implements AsyncAttempt.Taker {
  private static final int MOST_BYTES = RetryTransport.MOST_DISCARDED_BYTES;

  private final AsyncAnswer answer;
  private final Attempt<AsyncAnswer> attempt;
  private final AsyncAttempt.Owner owner;
  private final AtomicBoolean over = new AtomicBoolean();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private volatile RetryScheduler.@Nullable Task patience;

  UnwantedBody(AsyncAnswer answer, Attempt<AsyncAnswer> attempt, AsyncAttempt.Owner owner) {
    this.answer = answer;
    this.attempt = attempt;
    this.owner = owner;
  }

  /** It begins to come; its length is -1 if that is not known. */
  void begins(long length) {
    if (length > MOST_BYTES) {
      giveUp();
    } else if (length != 0) {
      TimerScheduler timers = TimerScheduler.system();
      patience =
          timers.settle(
              RetryTransport.MOST_DISCARDING_NANOS, () -> timers.cancelOnWire(this::giveUp));
    }
  }

  private void giveUp() {
    answer.body().discard();
    end(answer);
  }

  private void end(AsyncAnswer last) {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    RetryScheduler.Task waiting = patience;
    if (waiting != null) {
      waiting.cancel();
    }
    owner.unwanted(last);
    attempt.complete(last, null);
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    channel.update(Integer.MAX_VALUE);
  }

  @Override
  public void consume(ByteBuffer data) {
    byte[] part = new byte[data.remaining()];
    data.get(part);
    bytes.write(part, 0, part.length);
    if (bytes.size() > MOST_BYTES) {
      giveUp();
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers) {}

  @Override
  public void completed() {
    end(answer.read(bytes.toByteArray()));
  }

  @Override
  public void failed(Exception cause) {
    end(answer);
  }

  @Override
  public void releaseResources() {}
}
