package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.SentBody;
import dev.steadfast.retry.http.RetryOptions;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The request body of one operation: whether it may be sent again, and a record of the bytes that
 * were sent. {@code java.net.http} cannot tell whether a publisher yields the same bytes twice. A
 * publisher of known length is assumed to, and this is checked.
 */
final class RequestBody {
  private static final RequestBody NONE = new RequestBody(null, 0, true);
  private static final AttemptBody NO_BYTES = new AttemptBody(NONE, null, unused -> {}, () -> 0);

  // The JDK's publishers that have all bytes in memory, and so yield them each time.
  private static final Set<Class<?>> IN_MEMORY =
      Set.copyOf(
          List.of(
              BodyPublishers.ofByteArray(new byte[0]).getClass(),
              BodyPublishers.ofString("").getClass()));

  private final @Nullable BodyPublisher publisher;
  private final long length; // negative: unknown
  private final boolean repeatable;
  private final SentBody sent;

  private RequestBody(@Nullable BodyPublisher publisher, long length, boolean repeatable) {
    this.publisher = publisher;
    this.length = length;
    this.repeatable = repeatable;
    this.sent = new SentBody(publisher == null ? this : publisher, () -> repeatable);
  }

  static RequestBody of(HttpRequest request, RetryOptions options) {
    BodyPublisher publisher = request.bodyPublisher().orElse(null);
    long length = publisher == null ? 0 : length(publisher);
    if (length == 0) {
      return NONE;
    }
    return new RequestBody(publisher, length, options.bodyRepeatable().orElse(length > 0));
  }

  private static long length(BodyPublisher publisher) {
    try {
      return publisher.contentLength();
    } catch (RuntimeException thrown) {
      return -1; // the client asks again, and its call fails as without us
    }
  }

  /** Whether there are bytes to send. */
  boolean present() {
    return publisher != null;
  }

  /** How many bytes there are, negative if that is unknown. */
  long length() {
    return length;
  }

  /** Whether it may fail to yield its bytes once more. */
  boolean mayFail() {
    return publisher != null && !IN_MEMORY.contains(publisher.getClass());
  }

  /**
   * The body as one attempt sends it.
   *
   * @param replaced whether there is an answer for the caller if the publisher fails
   */
  AttemptBody forAttempt(Attempt<?> attempt, LongSupplier ticker, boolean replaced) {
    if (publisher == null) {
      return NO_BYTES;
    }
    Consumer<Throwable> failed = replaced ? unused -> {} : attempt::userCodeFailed;
    return new AttemptBody(this, attempt, failed, ticker);
  }

  /** Whether another attempt could send it. */
  boolean canBeSent() {
    return !sent.isSpent();
  }

  /** The bytes, unless asking for them would spend them or they are more than the limit. */
  Optional<byte[]> bytes(int limit) {
    BodyPublisher source = publisher;
    if (source == null) {
      return Optional.of(new byte[0]);
    }
    if (!repeatable || length > limit) {
      return Optional.empty();
    }
    BodyBytes bytes = new BodyBytes(limit);
    new AttemptBody(this, null, bytes::onError, () -> 0).subscribe(bytes);
    return bytes.ifWhole();
  }

  Optional<BodyPublisher> publisher() {
    return Optional.ofNullable(publisher);
  }

  /** Begins to send it once more. */
  SentBody.Pass pass() {
    BodyPublisher source = Objects.requireNonNull(publisher);
    SentBody.Pass pass = sent.pass(source, source, -1); // its stated length is not compared
    pass.begin();
    return pass;
  }
}
