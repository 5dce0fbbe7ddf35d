package dev.steadfast.retry.httpclient;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The user's own subscriber for the body of a response that he gets, watched: a body that breaks on
 * its way is a failure of the attempt, and what the user's code throws is not.
 */
final class Collector<T> implements BodySubscriber<T> {
  private final BodySubscriber<T> users;
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean cancelled;
  private volatile boolean broken;
  private volatile @Nullable Throwable userFailure;

  Collector(BodySubscriber<T> users) {
    this.users = users;
  }

  /** What the user's code threw, null if it did not. */
  @Nullable Throwable userFailure() {
    return userFailure;
  }

  /** Lets go of the body, of which nothing may have come yet. */
  void cancel() {
    cancelled = true;
    Flow.Subscription source = subscription;
    if (source != null) {
      source.cancel();
    }
  }

  @Override
  public CompletionStage<T> getBody() {
    return users
        .getBody()
        .whenComplete((body, thrown) -> {
          if (thrown != null && !broken && userFailure == null) {
            userFailure = thrown;
          }
        });
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    if (cancelled) {
      subscription.cancel();
    } else {
      watched(() -> users.onSubscribe(subscription));
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    watched(() -> users.onNext(buffers));
  }

  @Override
  public void onError(Throwable failure) {
    broken = true;
    users.onError(failure);
  }

  @Override
  public void onComplete() {
    watched(users::onComplete);
  }

  private void watched(Runnable signal) {
    try {
      signal.run();
    } catch (Throwable thrown) {
      userFailure = thrown;
      throw thrown;
    }
  }
}
