package dev.steadfast.retry.httpclient;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** A subscriber of the user's that passes all on, and so hides what it does with the body. */
class PassingSubscriber<T> implements BodySubscriber<T> {
  private final BodySubscriber<T> to;

  PassingSubscriber(BodySubscriber<T> to) {
    this.to = to;
  }

  @Override
  public CompletionStage<T> getBody() {
    return to.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    to.onSubscribe(subscription);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    to.onNext(buffers);
  }

  @Override
  public void onError(Throwable failure) {
    to.onError(failure);
  }

  @Override
  public void onComplete() {
    to.onComplete();
  }
}
