package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.FirstEvent;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The beginning of an event stream for whose first event the rules wait. */
final class StreamStart {
  private final HttpOperation operation;
  private final FirstEvent event;
  private volatile boolean over;

  private StreamStart(HttpOperation operation, FirstEvent event) {
    this.operation = operation;
    this.event = event;
  }

  /** The beginning of a body, null if it is judged by its head. */
  static @Nullable StreamStart of(HttpOperation operation, HttpResponse.ResponseInfo info) {
    FirstEvent event =
        operation.awaitsFirstEvent(info.statusCode())
            ? FirstEvent.of(
                info.headers().allValues("Content-Type"),
                info.headers().allValues("Content-Encoding"))
            : null;
    return event == null ? null : new StreamStart(operation, event);
  }

  /** Whether the first event is known, and was decided on. */
  boolean isOver() {
    return over;
  }

  /** The data of the first event if it is an error; asked once it is known. */
  @Nullable String error() {
    return over ? event.error() : null;
  }

  /**
   * Makes the subscriber that takes the body.
   *
   * @param decision gets the {@link #error}, and says who takes the body with all that has come
   */
  <T> BodySubscriber<T> taker(Function<@Nullable String, BodySubscriber<T>> decision) {
    return new HeldBody<>(
        operation.plan().timers(),
        Long.MAX_VALUE,
        event,
        () -> {
          over = true;
          return decision.apply(event.error());
        });
  }
}
