package dev.steadfast.retry.httpclient;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Collects the bytes of a request body, for example for a key that is their hash. It does not wait,
 * so a publisher that does not yield its bytes at once has none.
 */
final class BodyBytes implements Flow.Subscriber<ByteBuffer> {
  private final int limit;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;
  private boolean tooLong; // a publisher may go on for a while after it was cancelled
  private volatile boolean whole;

  BodyBytes(int limit) {
    this.limit = limit;
  }

  Optional<byte[]> ifWhole() {
    if (whole) {
      return Optional.of(bytes.toByteArray());
    }
    stop();
    return Optional.empty();
  }

  private void stop() {
    if (subscription != null) {
      subscription.cancel();
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(ByteBuffer buffer) {
    tooLong |= bytes.size() + (long) buffer.remaining() > limit;
    if (tooLong) {
      stop();
      return;
    }
    byte[] copy = new byte[buffer.remaining()];
    buffer.get(copy);
    bytes.writeBytes(copy);
  }

  @Override
  public void onError(Throwable failure) {}

  @Override
  public void onComplete() {
    whole = !tooLong;
  }
}
