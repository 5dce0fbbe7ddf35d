package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.Attempt;
import java.net.http.HttpResponse.BodySubscriber;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer whose body the rules read before they say what the answer means. A body that is long,
 * slow or broken is not waited for: then the head decides alone.
 */
final class JudgedBody<T> {
  // An error comes with its head. A server that stalls behind it must not hold the attempt.
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Attempt<Answer<T>> attempt;
  private final Answer<T> head;
  private final HeldBody<T> held;
  private volatile boolean decided;

  /**
   * An answer of which the head is there.
   *
   * @param users makes the user's subscriber
   */
  JudgedBody(
      Attempt<Answer<T>> attempt,
      Answer<T> head,
      RetryScheduler timers,
      Supplier<BodySubscriber<T>> users) {
    this.attempt = attempt;
    this.head = head;
    this.held = new HeldBody<>(timers, MOST_NANOS, () -> decide() ? users.get() : null);
  }

  private boolean decide() {
    decided = true;
    return attempt.head(head);
  }

  BodySubscriber<T> taker() {
    return held;
  }

  /** The body that the rules read; null if it is not whole, or the head decided. */
  static byte @Nullable [] whole(@Nullable Object judged) {
    return judged instanceof JudgedBody<?> body ? body.held.whole() : null;
  }

  /** The call fails: the head decides, unless it has. */
  void fails() {
    if (!decided && !attempt.stopped()) {
      boolean unused = decide();
    }
  }
}
