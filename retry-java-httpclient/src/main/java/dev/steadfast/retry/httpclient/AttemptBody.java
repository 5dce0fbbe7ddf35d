package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.engine.Attempt;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The body as one attempt sends it: more than once, if the client follows a redirect or answers a
 * challenge. Every pass after the first is checked.
 */
final class AttemptBody implements BodyPublisher {
  private final RequestBody body;
  private final @Nullable Attempt<?> attempt; // null: the bytes are only looked at
  private final Consumer<Throwable> userCodeFailed;
  private final LongSupplier ticker;
  private volatile boolean subscribed;
  private volatile @Nullable VerifyingSubscriber latest;
  private volatile @Nullable SendInterrupt sentBy;
  private volatile @Nullable RequestBodyChangedException changed;

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

  /** Whether the client has asked for it: false proves that no byte of it was sent. */
  boolean subscribed() {
    return subscribed;
  }

  /** How long the body may still be silent; not counted while the publisher has to give bytes. */
  long idleLeftNanos(long nowNanos, long mostNanos) {
    VerifyingSubscriber pass = latest;
    return pass == null ? mostNanos : pass.idleLeftNanos(nowNanos, mostNanos);
  }

  /** Not null if this attempt would have sent other bytes than an earlier one. */
  @Nullable RequestBodyChangedException changed() {
    return changed;
  }

  @Override
  public long contentLength() {
    return body.publisher().map(BodyPublisher::contentLength).orElse(0L);
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> receiver) {
    BodyPublisher publisher = body.publisher().orElseThrow();
    if (attempt != null && attempt.stopped()) {
      refuse(receiver);
      return;
    }
    subscribed = true;
    VerifyingSubscriber pass = new VerifyingSubscriber(receiver, this, body.sent());
    latest = pass;
    if (attempt != null) {
      attempt.bodyStarted();
    }
    try {
      inUserCode(() -> publisher.subscribe(pass));
    } catch (Throwable thrown) {
      sourceFailed(thrown);
      throw thrown;
    }
  }

  // The attempt is over: a look-up of the host, for one, took too long. Nothing may be sent.
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
    if (attempt != null) {
      attempt.bodyEnded();
    }
  }

  long now() {
    return ticker.getAsLong();
  }

  void passed(Fingerprint fingerprint) {
    body.passed(fingerprint);
  }

  void sourceFailed(Throwable failure) {
    userCodeFailed.accept(failure);
  }

  RequestBodyChangedException changed(long expectedBytes, long bytes) {
    RequestBodyChangedException found = new RequestBodyChangedException(expectedBytes, bytes);
    changed = found;
    body.hasChanged();
    return found;
  }
}
