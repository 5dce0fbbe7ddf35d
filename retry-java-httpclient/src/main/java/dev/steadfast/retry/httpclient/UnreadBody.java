package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.StreamTypes;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An answer whose body stays unread until the client's call is over. So the client has shown the
 * redirects before the answer, and a body that breaks cannot take the answer along. Then the rules
 * read the body before they say what the answer means, if they want to. A body that is long, slow
 * or broken is not waited for: the head decides alone.
 */
final class UnreadBody<T> {
  // An error comes with its head. A server that stalls behind it must not hold the attempt.
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Attempt<JdkAnswer<T>> attempt;
  private final @Nullable ProvisionalHeads<T> heads; // null: the client follows no redirects
  private volatile JdkAnswer<T> answer; // the head alone during the client's call
  private volatile boolean decided;
  private @Nullable HeldBody<T> held; // written before the client gets it

  UnreadBody(
      Attempt<JdkAnswer<T>> attempt, @Nullable ProvisionalHeads<T> heads, JdkAnswer<T> head) {
    this.attempt = attempt;
    this.heads = heads;
    this.answer = head;
  }

  /** Whether the rules read the body of an answer. A stream is the caller's to read. */
  static boolean judged(HttpOperation operation, HttpResponse.ResponseInfo info) {
    return operation.judgedBodyBytes(info.statusCode()) > 0
        && !StreamTypes.include(info.headers().firstValue("Content-Type").orElse(""));
  }

  /**
   * Makes the subscriber that takes the body.
   *
   * @param judged whether the rules read the body
   * @param decision decides what follows the answer, and says who takes the body
   */
  BodySubscriber<T> taker(
      RetryScheduler timers, boolean judged, Function<JdkAnswer<T>, BodySubscriber<T>> decision) {
    HeldBody<T> taker =
        HeldBody.afterCall(
            timers,
            judged ? MOST_NANOS : 0,
            () -> {
              decided = true;
              return decision.apply(answer);
            });
    held = taker;
    return taker;
  }

  /**
   * Reads the body after the client's call; waits for it and fails as the client's {@code send}.
   */
  HttpResponse<T> read(HttpResponse<T> response) throws Throwable {
    CompletableFuture<HttpResponse<T>> whole = begin(response);
    try {
      return whole.get();
    } catch (InterruptedException interrupted) {
      Objects.requireNonNull(held).giveUp();
      throw interrupted;
    } catch (ExecutionException broken) {
      throw Failures.thrownBySend(Objects.requireNonNull(broken.getCause()));
    }
  }

  /** Reads the body after the client's call, and tells when it is over. */
  void read(
      HttpResponse<T> response,
      RetryScheduler timers,
      BiConsumer<@Nullable HttpResponse<T>, @Nullable Throwable> over) {
    // The thread that brings the body must return before the next attempt takes its connection.
    begin(response)
        .whenCompleteAsync(
            over,
            goesOn -> {
              try {
                timers.execute(goesOn);
              } catch (RejectedExecutionException virtual) {
                goesOn.run();
              }
            });
  }

  private CompletableFuture<HttpResponse<T>> begin(HttpResponse<T> response) {
    HeldBody<T> reading = Objects.requireNonNull(held);
    answer = JdkAnswer.whole(response, null);
    if (heads != null) {
      heads.over(response);
    }
    attempt.onCancel(reading::giveUp);
    reading.begin();
    return reading.body().thenApply(body -> StoredResponse.of(response, body));
  }

  /** The body if it was kept and nothing was decided yet. */
  byte @Nullable [] whole() {
    return held == null ? null : held.whole();
  }

  /** The client's call fails: the head decides, unless it has. */
  void fails() {
    if (decided || attempt.stopped()) {
      return;
    }
    if (heads != null) {
      heads.decidesEarly();
    }
    boolean unused = attempt.head(answer);
  }
}
