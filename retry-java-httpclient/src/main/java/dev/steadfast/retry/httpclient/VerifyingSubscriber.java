package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.engine.SentBody;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One pass of a request body to the wire. A later pass holds back its last buffer until it was
 * compared with the first pass, so that a body that changed is never sent whole.
 *
 * <p>Flow: when a buffer is held back, one more is asked for than the receiver wants, and the
 * receiver still gets no more than it asked for.
 */
final class VerifyingSubscriber implements Flow.Subscriber<ByteBuffer>, Flow.Subscription {
  private final Flow.Subscriber<? super ByteBuffer> receiver;
  private final AttemptBody body;
  private final SentBody.Pass pass;

  // Confined to the publisher's signals, which come one after the other.
  private long handedOn;
  private boolean failed;
  private @Nullable ByteBuffer held;

  private final AtomicLong demand = new AtomicLong(); // asked for by the receiver, not handed on
  private final AtomicBoolean finished = new AtomicBoolean();
  private volatile boolean ended; // by the publisher, after the comparison
  private volatile Flow.@Nullable Subscription upstream;
  // When the client took bytes, or asked for some. Written before the demand, and read after it.
  private volatile long movedNanos;

  VerifyingSubscriber(
      Flow.Subscriber<? super ByteBuffer> receiver, AttemptBody body, SentBody.Pass pass) {
    this.receiver = receiver;
    this.body = body;
    this.pass = pass;
    this.movedNanos = body.now();
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    upstream = subscription;
    receiver.onSubscribe(this);
  }

  /** How long the client may still take nothing: it has what it asked for, and asks for no more. */
  long idleLeftNanos(long nowNanos, long mostNanos) {
    return demand.get() > 0 ? mostNanos : Silence.leftNanos(mostNanos, movedNanos, nowNanos);
  }

  @Override
  public void request(long n) {
    movedNanos = body.now();
    demand.accumulateAndGet(n, VerifyingSubscriber::saturatedAdd);
    if (ended) {
      finish();
    } else {
      askUpstream(n);
    }
  }

  private static long saturatedAdd(long one, long other) {
    long sum = one + other;
    return other > 0 && sum < 0 ? Long.MAX_VALUE : sum;
  }

  private void askUpstream(long n) {
    Flow.Subscription source = upstream;
    if (source == null) {
      return;
    }
    try {
      body.inUserCode(() -> source.request(n));
    } catch (Throwable thrown) {
      body.sourceFailed(thrown);
      throw thrown;
    }
  }

  @Override
  public void cancel() {
    body.ended();
    Flow.Subscription source = upstream;
    if (source != null) {
      source.cancel();
    }
  }

  private void handOn(ByteBuffer buffer) {
    movedNanos = body.now();
    if (demand.get() != Long.MAX_VALUE) {
      demand.decrementAndGet();
    }
    handedOn += buffer.remaining();
    if (handedOn == body.contentLength()) {
      body.ended(); // the client has the last byte
    }
    receiver.onNext(buffer);
  }

  @Override
  public void onNext(ByteBuffer buffer) {
    if (failed) {
      return;
    }
    try {
      pass.take(buffer.duplicate());
    } catch (RequestBodyChangedException changed) {
      fail(changed);
      return;
    }
    if (!pass.repeats()) {
      handOn(buffer);
    } else if (!buffer.hasRemaining()) {
      askUpstream(1); // an empty buffer does not count
    } else {
      holdBack(buffer);
    }
  }

  private void holdBack(ByteBuffer buffer) {
    ByteBuffer ready = held;
    held = buffer;
    if (ready == null) {
      askUpstream(1);
    } else {
      handOn(ready);
    }
  }

  private void fail(RequestBodyChangedException changed) {
    failed = true;
    held = null;
    body.hasChanged(changed);
    cancel();
    receiver.onError(changed);
  }

  @Override
  public void onError(Throwable failure) {
    if (!failed) {
      body.ended();
      body.sourceFailed(failure);
      receiver.onError(failure instanceof ConnectException ? hidden(failure) : failure);
    }
  }

  // The client takes a ConnectException for its own, and sends the request again by itself.
  private static IOException hidden(Throwable failure) {
    return new IOException(failure.getMessage(), failure);
  }

  /** Whether the publisher has given all of it. */
  boolean ended() {
    return ended;
  }

  @Override
  public void onComplete() {
    if (failed) {
      return;
    }
    try {
      pass.end();
    } catch (RequestBodyChangedException changed) {
      fail(changed);
      return;
    }
    ended = true;
    finish();
  }

  // Called when the publisher has ended and the receiver asks for more, at the later of the two.
  private void finish() {
    ByteBuffer last = held;
    if ((last == null || demand.get() > 0) && finished.compareAndSet(false, true)) {
      if (last != null) {
        handOn(last);
      }
      body.ended();
      receiver.onComplete();
    }
  }
}
