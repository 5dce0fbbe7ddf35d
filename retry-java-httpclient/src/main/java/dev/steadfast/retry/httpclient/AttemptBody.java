package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.RequestBodyChangedException;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The body as one attempt sends it: more than once, if the client follows a redirect or answers a
 * challenge. Every pass after the first is checked.
 */
final class AttemptBody implements BodyPublisher {
  private final RequestBody body;
  // Null if the bytes are only looked at, and once the client's call is over: the client may hold
  // this for longer, and an attempt leads to the client itself.
  private volatile @Nullable Attempt<?> attempt;
  private volatile boolean over;
  private volatile Consumer<Throwable> userCodeFailed;
  private final LongSupplier ticker;
  private final AtomicInteger passes = new AtomicInteger();
  private volatile @Nullable VerifyingSubscriber latest;
  private volatile @Nullable SendInterrupt sentBy;
  private volatile @Nullable RequestBodyChangedException changed;
  private volatile @Nullable Throwable sourceFailure;

  AttemptBody(
      RequestBody body,
      @Nullable Attempt<?> attempt,
      Consumer<Throwable> userCodeFailed,
      LongSupplier ticker) {
    this.body = body;
    this.attempt = attempt;
    this.userCodeFailed = userCodeFailed;
    this.ticker = ticker;
  }

  /** The thread that waits for the answer, which may run the publisher as well. */
  void sentBy(SendInterrupt waiting) {
    if (attempt != null) {
      sentBy = waiting;
    }
  }

  /** The client's call is over: nothing is sent any more, and later failures are ignored. */
  void over() {
    if (attempt != null) {
      over = true;
      attempt = null;
      userCodeFailed = late -> {};
      sentBy = null;
    }
  }

  /** Whether the client has asked for it: false proves that no byte of it was sent. */
  boolean subscribed() {
    return passes.get() > 0;
  }

  /** Whether the client has taken all of it, if there is one. */
  boolean written() {
    VerifyingSubscriber pass = latest;
    return pass == null ? !body.present() : pass.ended();
  }

  /** How often the client has asked for it. */
  int passes() {
    return passes.get();
  }

  /** How long the body may still be silent; waits for the publisher do not count. */
  long idleLeftNanos(long nowNanos, long mostNanos) {
    VerifyingSubscriber pass = latest;
    return pass == null ? mostNanos : pass.idleLeftNanos(nowNanos, mostNanos);
  }

  /** Not null if this attempt would have sent other bytes than an earlier one. */
  @Nullable RequestBodyChangedException changed() {
    return changed;
  }

  /** The failure of the publisher, null if it has none. */
  @Nullable Throwable sourceFailure() {
    return sourceFailure;
  }

  /** The reason in the body itself why it could not be sent; null if there is none. */
  @Nullable StopReason whyNotSent() {
    if (changed != null) {
      return StopReason.BODY_CHANGED;
    }
    Throwable failure = sourceFailure;
    return failure == null || failure instanceof Error ? null : StopReason.BODY_NOT_REPEATABLE;
  }

  /** Whether the next attempt might find that the bytes cannot be read again. */
  boolean mayFail() {
    return body.mayFail();
  }

  @Override
  public long contentLength() {
    try {
      return body.publisher().map(BodyPublisher::contentLength).orElse(0L);
    } catch (Throwable thrown) {
      sourceFailed(thrown);
      throw thrown;
    }
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> receiver) {
    BodyPublisher publisher = body.publisher().orElseThrow();
    Attempt<?> sender = attempt;
    if (over || (sender != null && sender.stopped())) {
      refuse(receiver);
      return;
    }
    passes.incrementAndGet();
    VerifyingSubscriber pass = new VerifyingSubscriber(receiver, this, body.pass());
    latest = pass;
    if (sender != null) {
      sender.bodyStarted();
    }
    try {
      inUserCode(() -> publisher.subscribe(pass));
    } catch (Throwable thrown) {
      sourceFailed(thrown);
      throw thrown;
    }
  }

  // The attempt is over, for example because a DNS look-up took too long. Nothing may be sent.
  private static void refuse(Flow.Subscriber<? super ByteBuffer> receiver) {
    receiver.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {}
        });
    receiver.onError(new IOException("the attempt is over"));
  }

  /** Runs code of the publisher's, which gets no interrupt of ours. */
  void inUserCode(Runnable code) {
    SendInterrupt waiting = sentBy;
    if (waiting == null || !waiting.enterUserCode()) {
      code.run();
      return;
    }
    try {
      code.run();
    } finally {
      waiting.leaveUserCode();
    }
  }

  /** The client has the last byte, or wants no more. */
  void ended() {
    Attempt<?> sender = attempt;
    if (sender != null) {
      sender.bodyEnded();
    }
  }

  long now() {
    return ticker.getAsLong();
  }

  void sourceFailed(Throwable failure) {
    sourceFailure = failure;
    userCodeFailed.accept(failure);
  }

  void hasChanged(RequestBodyChangedException found) {
    changed = found;
  }
}
