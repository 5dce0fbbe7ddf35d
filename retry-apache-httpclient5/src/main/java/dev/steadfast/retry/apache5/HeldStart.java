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

/**
 * The beginning of a body, which is read within the attempt: a short body as a whole, or an event
 * stream up to its first event. The rest, and a body that turns out to be long, is the caller's
 * unless another attempt follows.
 */
final class HeldStart implements AsyncAttempt.Taker {
  private final AsyncAnswer answer;
  private final Attempt<AsyncAnswer> attempt;
  private final AsyncAttempt.Owner owner;
  private final int most;
  private final @Nullable FirstEvent event; // null: the body is read as a whole
  private final ByteArrayOutputStream start = new ByteArrayOutputStream();
  private volatile AsyncAttempt.@Nullable Taker taker; // null: not decided yet

  /** A short body. */
  HeldStart(
      AsyncAnswer answer, Attempt<AsyncAnswer> attempt, AsyncAttempt.Owner owner, int mostBytes) {
    this.answer = answer;
    this.attempt = attempt;
    this.owner = owner;
    this.most = mostBytes;
    this.event = null;
  }

  /** An event stream. */
  HeldStart(
      AsyncAnswer answer,
      Attempt<AsyncAnswer> attempt,
      AsyncAttempt.Owner owner,
      FirstEvent event) {
    this.answer = answer;
    this.attempt = attempt;
    this.owner = owner;
    this.most = FirstEvent.MOST_BYTES;
    this.event = event;
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    AsyncAttempt.Taker to = taker;
    if (to == null) {
      answer.body().updateCapacity(channel); // which asks for the rest later
      channel.update(most + 1);
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
    boolean known = event != null && event.take(data);
    byte[] part = new byte[data.remaining()];
    data.duplicate().get(part);
    start.write(part, 0, part.length);
    answer.body().consume(data);
    if (known || (event == null && start.size() > most)) {
      decide();
    }
  }

  private AsyncAttempt.Taker decide() throws IOException {
    if (event != null) {
      answer.begins(event.error());
    }
    if (attempt.head(answer)) {
      taker = answer.body();
      attempt.complete(answer, null);
      return answer.body();
    }
    UnwantedBody unwanted = new UnwantedBody(answer, attempt, owner);
    taker = unwanted;
    unwanted.begins(-1);
    unwanted.consume(ByteBuffer.wrap(start.toByteArray()));
    return unwanted;
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers)
      throws HttpException, IOException {
    AsyncAttempt.Taker to = taker;
    if (to == null && event != null) {
      event.end();
      to = decide();
    }
    (to == null ? answer.body() : to).streamEnd(trailers);
  }

  @Override
  public void completed() {
    AsyncAttempt.Taker to = taker;
    (to == null ? answer.body() : to).completed();
    if (to == null) {
      answer.whole(start.toByteArray());
      over();
    }
  }

  private void over() {
    taker = answer.body();
    attempt.complete(answer, null);
  }

  @Override
  public void failed(Exception cause) {
    AsyncAttempt.Taker to = taker;
    if (to == null && answer.status() < BodyStart.FIRST_FAILURE) {
      attempt.complete(null, cause);
      return;
    }
    (to == null ? answer.body() : to).failed(cause);
    if (to == null) {
      over(); // of a failure, the head says everything
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
