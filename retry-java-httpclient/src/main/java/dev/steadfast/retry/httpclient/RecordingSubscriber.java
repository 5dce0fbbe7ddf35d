package dev.steadfast.retry.httpclient;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Copies a response body on its way to the user's subscriber, up to a size. Its signals come one
 * after another. Any thread may read the copy once it is whole.
 */
final class RecordingSubscriber<T> implements BodySubscriber<T> {
  // Subscribers that hand over the body before it has arrived, so that the caller reads it. One
  // that wraps such a subscriber does so too, but that cannot be seen.
  private static final Set<Class<?>> AT_HEAD =
      Set.of(BodySubscribers.ofInputStream().getClass(), BodySubscribers.ofPublisher().getClass());
  // The subscriber of ofLines() has the same class as that of mapping(). The function of mapping()
  // may read the whole body at once, so only the handler tells the two apart.
  private static final Class<?> LINES = BodyHandlers.ofLines().getClass();

  private final BodySubscriber<T> subscriber;
  private final int most;
  private @Nullable ByteArrayOutputStream bytes = new ByteArrayOutputStream(); // null: too long
  private volatile byte @Nullable [] whole;

  RecordingSubscriber(BodySubscriber<T> subscriber, int most) {
    this.subscriber = subscriber;
    this.most = most;
  }

  /** Whether the body is known to be handed over with the head. */
  static boolean givesBodyAtHead(BodyHandler<?> handler, BodySubscriber<?> users) {
    return AT_HEAD.contains(users.getClass()) || LINES.equals(handler.getClass());
  }

  /** The subscriber that gets the body. */
  BodySubscriber<T> recorded() {
    return subscriber;
  }

  /** The body once it is whole; null before, and if it is too long. */
  byte @Nullable [] whole() {
    return whole;
  }

  @Override
  public CompletionStage<T> getBody() {
    return subscriber.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscriber.onSubscribe(subscription);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      record(buffer.duplicate());
    }
    subscriber.onNext(buffers);
  }

  private void record(ByteBuffer buffer) {
    ByteArrayOutputStream kept = bytes;
    if (kept == null || kept.size() + buffer.remaining() > most) {
      bytes = null;
      return;
    }
    byte[] copy = new byte[buffer.remaining()];
    buffer.get(copy);
    kept.write(copy, 0, copy.length);
  }

  @Override
  public void onError(Throwable thrown) {
    bytes = null;
    subscriber.onError(thrown);
  }

  @Override
  public void onComplete() {
    ByteArrayOutputStream kept = bytes;
    bytes = null;
    whole = kept == null ? null : kept.toByteArray(); // before the caller's future completes
    subscriber.onComplete();
  }
}
