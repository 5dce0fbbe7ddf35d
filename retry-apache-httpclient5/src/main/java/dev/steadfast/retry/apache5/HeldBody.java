package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.jspecify.annotations.Nullable;

/** A short body that is read within the attempt. One that turns out to be long is passed on. */
final class HeldBody implements AsyncAttempt.Taker {
  private static final int FIRST_FAILURE = 400;

  private final AsyncAnswer answer;
  private final Attempt<AsyncAnswer> attempt;
  private final int most;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private volatile boolean decided;

  HeldBody(AsyncAnswer answer, Attempt<AsyncAnswer> attempt, int most) {
    this.answer = answer;
    this.attempt = attempt;
    this.most = most;
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    answer.body().updateCapacity(channel);
    if (!decided) {
      channel.update(most + 1);
    }
  }

  @Override
  public void consume(ByteBuffer data) throws IOException {
    if (!decided) {
      ByteBuffer seen = data.duplicate();
      byte[] part = new byte[Math.min(seen.remaining(), most + 1 - bytes.size())];
      seen.get(part);
      bytes.write(part, 0, part.length);
    }
    answer.body().consume(data);
    if (!decided && bytes.size() > most) {
      decide();
    }
  }

  private void decide() {
    decided = true;
    attempt.complete(answer, null);
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers)
      throws HttpException, IOException {
    answer.body().streamEnd(trailers);
  }

  @Override
  public void completed() {
    answer.body().completed();
    if (!decided) {
      answer.whole(bytes.toByteArray());
      decide();
    }
  }

  @Override
  public void failed(Exception cause) {
    if (!decided && answer.status() < FIRST_FAILURE) {
      decided = true;
      attempt.complete(null, cause);
      return;
    }
    answer.body().failed(cause); // of a failure, the head says everything
    if (!decided) {
      decide();
    }
  }

  @Override
  public void releaseResources() {
    if (decided) {
      answer.body().releaseResources();
    }
  }
}
