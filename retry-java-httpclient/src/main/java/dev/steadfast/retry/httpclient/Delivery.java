package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.Attempt;
import dev.steadfast.retry.RetryScheduler;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt on the wire. As the body handler that the client sees, it has the head judged before
 * the user's handler is asked: a response that will be retried never reaches that. It is told of
 * the end of the client's future, and is the attempt's canceller.
 */
final class Delivery<T>
    implements BodyHandler<T>,
        BiConsumer<@Nullable HttpResponse<T>, @Nullable Throwable>,
        Runnable {
  /** Whether the client has got the request. */
  private enum Taken {
    NOT_YET,
    YES,
    NEVER
  }

  private final Attempt<Answer<T>> attempt;
  private final AttemptBody body;
  private final BodyHandler<T> users;
  private final RetryScheduler scheduler;

  private volatile @Nullable CompletableFuture<?> sent;
  private volatile @Nullable Collector<T> collector;
  private final AtomicReference<Taken> taken = new AtomicReference<>(Taken.NOT_YET);
  private volatile boolean answered;
  private volatile int status = -1; // of the whole response

  Delivery(
      Attempt<Answer<T>> attempt,
      AttemptBody body,
      BodyHandler<T> users,
      RetryScheduler scheduler) {
    this.attempt = attempt;
    this.body = body;
    this.users = users;
    this.scheduler = scheduler;
  }

  AttemptBody body() {
    return body;
  }

  /** Whether the head of the response came. */
  boolean answered() {
    return answered;
  }

  /** The status of the response once it is whole, -1 before. */
  int status() {
    return status;
  }

  /** Whether the user's code has got some of the body that cannot be taken back. */
  boolean handedOn() {
    Collector<T> collecting = collector;
    return collecting != null && collecting.handsOn();
  }

  /**
   * Whether the client did not even take the request. Then it never will, so that what is said of
   * the attempt stays true: a timer may give one up whose thread is just about to send.
   */
  boolean notTaken() {
    return taken.compareAndExchange(Taken.NOT_YET, Taken.NEVER) != Taken.YES;
  }

  /**
   * The client gets the request now.
   *
   * @return false if the attempt was given up as one that sent nothing; then nothing may be sent
   */
  boolean handOver() {
    return taken.compareAndSet(Taken.NOT_YET, Taken.YES);
  }

  /** The client's future of it. */
  void of(CompletableFuture<?> future) {
    sent = future;
  }

  /** Stops the attempt on the wire. */
  @Override
  public void run() {
    CompletableFuture<?> future = sent;
    if (future != null) {
      future.cancel(true);
    }
  }

  void notTakenByClient() {
    taken.set(Taken.NEVER);
  }

  @Override
  public BodySubscriber<T> apply(HttpResponse.ResponseInfo info) {
    answered = !attempt.stopped(); // one that comes too late is none
    if (!attempt.head(Answer.head(info))) {
      return new Discarder<>(scheduler);
    }
    Collector<T> collecting;
    try {
      collecting = new Collector<>(Objects.requireNonNull(users.apply(info), "body subscriber"));
    } catch (Throwable thrown) {
      attempt.userCodeFailed(thrown);
      return new Discarder<>(scheduler); // not thrown on: the client would leave the body unread
    }
    collector = collecting;
    return collecting;
  }

  /** The client's future is complete, with exactly one of these. */
  @Override
  public void accept(@Nullable HttpResponse<T> response, @Nullable Throwable thrown) {
    Collector<T> collecting = collector;
    if (response != null) {
      status = response.statusCode();
      attempt.complete(Answer.whole(response, collecting), null);
      return;
    }
    Throwable userFailure = collecting == null ? null : collecting.userFailure();
    if (userFailure != null && !attempt.stopped()) {
      attempt.userCodeFailed(unwrapped(userFailure));
    }
    RequestBodyChangedException changed = body.changed();
    attempt.complete(null, changed != null ? changed : Failures.ownCopy(unwrapped(thrown)));
  }

  private static Throwable unwrapped(@Nullable Throwable thrown) {
    Throwable each = Objects.requireNonNull(thrown);
    while (each instanceof CompletionException || each instanceof ExecutionException) {
      Throwable cause = each.getCause();
      if (cause == null) {
        return each;
      }
      each = cause;
    }
    return each;
  }
}
