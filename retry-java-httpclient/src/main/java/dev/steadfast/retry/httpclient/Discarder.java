package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.UnwantedBody;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Takes the body of a response that the caller does not get. A short body is read to its end, which
 * keeps the connection. A long or slow body is cancelled, which closes the connection.
 */
final class Discarder<T extends @Nullable Object> implements BodySubscriber<T> {
  // Not a round number: virtual clocks tell waits by their length, and must not take this for one.
  private static final long MOST_NANOS = UnwantedBody.MOST_NANOS - 1;

  private final RetryScheduler scheduler;
  private final @Nullable Throwable failure; // of the user's handler
  private final CompletableFuture<T> body = new CompletableFuture<>();
  private volatile Flow.@Nullable Subscription subscription;
  private volatile RetryScheduler.@Nullable Task timer;
  private long bytes; // confined to the client's signals

  /** A discarder for a response that is followed by another attempt. */
  Discarder(RetryScheduler scheduler) {
    this(scheduler, null);
  }

  /**
   * A discarder for a response that the user's handler failed to take.
   *
   * @param failure the failure with which the body ends, so that the client passes it on in its own
   *     way
   */
  Discarder(RetryScheduler scheduler, @Nullable Throwable failure) {
    this.scheduler = scheduler;
    this.failure = failure;
  }

  @Override
  public CompletionStage<T> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    try {
      timer = scheduler.schedule(MOST_NANOS, this::stop);
    } catch (Throwable noTimer) {
      stop();
      return;
    }
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      bytes += buffer.remaining();
    }
    if (bytes > UnwantedBody.MOST_BYTES) {
      stop();
    }
  }

  @Override
  public void onError(Throwable broken) {
    end();
  }

  @Override
  public void onComplete() {
    end();
  }

  private void stop() {
    Flow.Subscription source = subscription;
    if (source != null) {
      source.cancel();
    }
    end();
  }

  @SuppressWarnings("NullAway") // this body is never used
  private void end() {
    RetryScheduler.Task running = timer;
    if (running != null) {
      running.cancel();
    }
    if (failure == null) {
      body.complete(null);
    } else {
      body.completeExceptionally(failure);
    }
  }
}
