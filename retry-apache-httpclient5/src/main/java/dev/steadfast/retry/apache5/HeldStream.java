package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.internal.FirstEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.jspecify.annotations.Nullable;

/** An event stream that is passed on with its first event, unless another attempt follows. */
final class HeldStream implements AsyncAttempt.Taker {
  private final AsyncAnswer answer;
  private final Attempt<AsyncAnswer> attempt;
  private final FirstEvent event;
  private final AsyncAttempt.Owner owner;
  private final ByteArrayOutputStream start = new ByteArrayOutputStream();
  private volatile AsyncAttempt.@Nullable Taker taker; // null: the event is not known yet

  HeldStream(
      AsyncAnswer answer,
      Attempt<AsyncAnswer> attempt,
      FirstEvent event,
      AsyncAttempt.Owner owner) {
    this.answer = answer;
    this.attempt = attempt;
    this.event = event;
    this.owner = owner;
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    AsyncAttempt.Taker to = taker;
    if (to == null) {
      answer.body().updateCapacity(channel); // which asks for the rest later
      channel.update(FirstEvent.MOST_BYTES + 1);
    } else {
      to.updateCapacity(channel);
    }
  }

  @Override
  public void consume(ByteBuffer data) throws IOException {
    AsyncAttempt.Taker to = taker;
    if (to != null) {
      to.consume(data);
      return;
    }
    boolean known = event.take(data);
    byte[] part = new byte[data.remaining()];
    data.get(part);
    start.write(part, 0, part.length);
    if (known) {
      decide();
    }
  }

  private AsyncAttempt.Taker decide() throws IOException {
    answer.begins(event.error());
    ByteBuffer seen = ByteBuffer.wrap(start.toByteArray());
    if (attempt.head(answer)) {
      taker = answer.body();
      answer.body().consume(seen);
      attempt.complete(answer, null);
      return answer.body();
    }
    UnwantedBody unwanted = new UnwantedBody(answer, attempt, owner);
    taker = unwanted;
    unwanted.begins(-1);
    unwanted.consume(seen);
    return unwanted;
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers)
      throws HttpException, IOException {
    AsyncAttempt.Taker to = taker;
    if (to == null) {
      event.end();
      to = decide();
    }
    to.streamEnd(trailers);
  }

  @Override
  public void completed() {
    AsyncAttempt.Taker to = taker;
    if (to != null) {
      to.completed();
    }
  }

  @Override
  public void failed(Exception cause) {
    AsyncAttempt.Taker to = taker;
    if (to == null) {
      attempt.complete(null, cause);
    } else {
      to.failed(cause);
    }
  }

  @Override
  public void releaseResources() {
    AsyncAttempt.Taker to = taker;
    if (to != null) {
      to.releaseResources();
    }
  }
}
