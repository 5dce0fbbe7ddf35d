package dev.steadfast.retry.httpclient;

import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The user's own subscriber for the body of a response that he gets, watched: a body that breaks on
 * its way is a failure of the attempt, and what the user's code throws is not.
 */
final class Collector<T> implements BodySubscriber<T>, Flow.Subscription {
  // Those of the JDK that hand the body on to the user's code as it comes.
  private static final Set<Class<?>> HAND_ON =
      Set.of(
          BodySubscribers.ofByteArrayConsumer(unused -> {}).getClass(),
          BodySubscribers.fromSubscriber(Nobody.HERE).getClass(),
          BodySubscribers.fromLineSubscriber(Nobody.HERE).getClass());

  private final BodySubscriber<T> users;
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean discarded;
  private volatile boolean cancelledByUser;
  private volatile boolean broken;
  private volatile @Nullable Throwable userFailure;
  private volatile @Nullable CompletionStage<T> body;

  Collector(BodySubscriber<T> users) {
    this.users = users;
  }

  /** What the user's code threw or completed its body with, null if it did not. */
  @Nullable Throwable userFailure() {
    Throwable thrown = userFailure;
    CompletionStage<T> made = body;
    return thrown != null || broken || made == null ? thrown : failure(made);
  }

  /**
   * Whether the user's code has seen what came of the body, and cannot unsee it: the next attempt
   * would hand it the beginning once more, and subscribe a subscriber that was told of the end.
   */
  boolean handsOn() {
    return HAND_ON.contains(users.getClass());
  }

  private static @Nullable Throwable failure(CompletionStage<?> body) {
    return body.<@Nullable Throwable>handle((value, thrown) -> thrown)
        .toCompletableFuture()
        .getNow(null);
  }

  /** Lets go of the body, of which nothing may have come yet. */
  void discard() {
    discarded = true;
    cancelUpstream();
  }

  private void cancelUpstream() {
    Flow.Subscription source = subscription;
    if (source != null) {
      source.cancel();
    }
  }

  // What the user's subscriber asks for.

  @Override
  public void request(long n) {
    Flow.Subscription source = subscription;
    if (source != null) {
      source.request(n);
    }
  }

  @Override
  public void cancel() {
    cancelledByUser = true;
    cancelUpstream();
  }

  // What the client brings.

  @Override
  public CompletionStage<T> getBody() {
    try {
      CompletionStage<T> made = users.getBody();
      body = made;
      return made;
    } catch (Throwable thrown) {
      userFailure = thrown;
      throw thrown;
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    if (discarded) {
      subscription.cancel();
    } else {
      try {
        users.onSubscribe(this);
      } catch (Throwable thrown) {
        userFailure = thrown;
        throw thrown;
      }
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    try {
      users.onNext(buffers);
    } catch (Throwable thrown) {
      userFailure = thrown;
      throw thrown;
    }
  }

  @Override
  public void onError(Throwable failure) {
    broken = !cancelledByUser;
    users.onError(failure);
  }

  @Override
  public void onComplete() {
    try {
      users.onComplete();
    } catch (Throwable thrown) {
      userFailure = thrown;
      throw thrown;
    }
  }

  /** For the classes of those that wrap a subscriber. */
  private enum Nobody implements Flow.Subscriber<Object> {
    HERE;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(Object item) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }
}
