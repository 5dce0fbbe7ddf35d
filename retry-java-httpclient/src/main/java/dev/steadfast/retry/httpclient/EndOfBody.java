package dev.steadfast.retry.httpclient;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Runs a task at the end of a body, before the client sees the end and may send the next request.
 *
 * @param subscriber takes the body
 * @param over the task
 */
record EndOfBody<T>(BodySubscriber<T> subscriber, Runnable over) implements BodySubscriber<T> {

  @Override
  public CompletionStage<T> getBody() {
    CompletableFuture<T> told = new CompletableFuture<>();
    subscriber
        .getBody()
        .whenComplete((value, thrown) -> {
          over.run();
          if (thrown == null) {
            told.complete(value);
          } else {
            told.completeExceptionally(thrown);
          }
        });
    return told;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscriber.onSubscribe(subscription);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    subscriber.onNext(buffers);
  }

  @Override
  public void onError(Throwable thrown) {
    subscriber.onError(thrown);
  }

  @Override
  public void onComplete() {
    subscriber.onComplete();
  }
}
