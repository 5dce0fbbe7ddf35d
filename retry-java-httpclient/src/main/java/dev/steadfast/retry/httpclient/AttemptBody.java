package dev.steadfast.retry.httpclient;

import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The body as one attempt sends it: more than once, if the client follows a redirect or answers a
 * challenge. Every pass after the first is checked.
 */
final class AttemptBody implements BodyPublisher {
  private final RequestBody body;
  private final Consumer<Throwable> userCodeFailed;
  private volatile boolean subscribed;
  private volatile @Nullable RequestBodyChangedException changed;

  AttemptBody(RequestBody body, Consumer<Throwable> userCodeFailed) {
    this.body = body;
    this.userCodeFailed = userCodeFailed;
  }

  /** Whether the client has asked for it: false proves that no byte of it was sent. */
  boolean subscribed() {
    return subscribed;
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
    subscribed = true;
    CheckedPass pass = new CheckedPass(receiver, this, body.sent());
    try {
      publisher.subscribe(pass);
    } catch (Throwable thrown) {
      sourceFailed(thrown);
      throw thrown;
    }
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
