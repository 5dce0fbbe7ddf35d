package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.TimerScheduler;
import dev.steadfast.retry.http.HttpOperation;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt on the wire. It is the body handler that the client sees. It has the head judged
 * before the user's handler is asked, so a response that will be retried never reaches the user's
 * handler. It also learns of the end of the client's call, and it cancels the attempt.
 */
final class AttemptBodyHandler<T>
    implements BodyHandler<T>,
        BiConsumer<@Nullable HttpResponse<T>, @Nullable Throwable>,
        Runnable {
  // How long a blocking call has to end by itself, before its thread is interrupted.
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  @SuppressWarnings("rawtypes") // an updater knows the class of the field and no more
  private static final AtomicReferenceFieldUpdater<AttemptBodyHandler, Taken> TAKEN =
      AtomicReferenceFieldUpdater.newUpdater(AttemptBodyHandler.class, Taken.class, "taken");

  /** Whether the client has got the request. */
  private enum Taken {
    NOT_YET,
    YES,
    NEVER
  }

  private final Attempt<Answer<T>> attempt;
  private final AttemptBody body;
  private final BodyHandler<T> users;
  private final HttpOperation operation;

  private @Nullable String origin; // of all answers; null: the client follows redirects
  private volatile long headNanos; // when the head came, if the origin is not known before the body
  private volatile @Nullable CompletableFuture<?> sent; // null: blocking
  private volatile @Nullable SendInterrupt interrupt; // null: asynchronous
  private volatile boolean clientTimesOut; // by itself, when the attempt's time is up
  private volatile RetryScheduler.@Nullable Task lastResort;
  private volatile boolean headPassed; // the user's handler has got the head
  private volatile @Nullable WatchedSubscriber<T> collector; // null: none yet, or none is needed
  private volatile Taken taken = Taken.NOT_YET;
  private volatile boolean asked; // for the body of an answer
  private volatile boolean answered;
  private volatile boolean handlerFailed;
  private volatile int status = -1; // of the whole response
  private volatile boolean hidesEffect; // the whole response does
  private volatile boolean afterEffect;

  AttemptBodyHandler(
      Attempt<Answer<T>> attempt, AttemptBody body, BodyHandler<T> users, HttpOperation operation) {
    this.attempt = attempt;
    this.body = body;
    this.users = users;
    this.operation = operation;
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

  /** The attempt comes after another one of the same operation, null for none. */
  void follows(@Nullable AttemptBodyHandler<?> before) {
    afterEffect = before != null && (before.afterEffect || before.hidesEffect);
  }

  /** Whether an earlier attempt may have had an effect that its answer does not tell of. */
  boolean afterEffect() {
    return afterEffect;
  }

  /** The body of the answer; null if it is not whole, too long, or left to the caller to read. */
  byte @Nullable [] recordedBody() {
    WatchedSubscriber<T> collecting = collector;
    return collecting == null ? null : collecting.recorded();
  }

  /** Whether the user's code has already received a part of the body. */
  boolean handedOn() {
    WatchedSubscriber<T> collecting = collector;
    return collecting != null && collecting.handsOn();
  }

  /**
   * Whether the client has not taken the request. From then on it never will, so the evidence of
   * the attempt stays true: a timer may end an attempt while its thread is just about to send.
   */
  boolean notTaken() {
    return taken != Taken.YES
        && (TAKEN.compareAndSet(this, Taken.NOT_YET, Taken.NEVER) || taken == Taken.NEVER);
  }

  /**
   * The client gets the request now.
   *
   * @return false if the attempt was given up as one that sent nothing; then nothing may be sent
   */
  boolean handOver() {
    return TAKEN.compareAndSet(this, Taken.NOT_YET, Taken.YES);
  }

  /** The client has refused the request. Only of the JDK's own is it known to send nothing then. */
  void notTakenByClient() {
    taken = Taken.NEVER;
  }

  /** Only that origin can answer, as the client follows no redirects. */
  void answeredBy(String origin) {
    this.origin = origin;
  }

  /** The client's future of it. */
  void of(CompletableFuture<?> future) {
    sent = future;
  }

  /**
   * The calling thread waits in the client.
   *
   * @param timesOut whether the request has a timeout that ends with the attempt
   */
  void of(SendInterrupt waiting, boolean timesOut) {
    interrupt = waiting;
    clientTimesOut = timesOut;
  }

  /** The calling thread is out of the client. */
  void returned() {
    interrupt = null;
    RetryScheduler.Task pending = lastResort;
    if (pending != null) {
      pending.cancel();
    }
  }

  /** Stops the attempt on the wire. */
  @Override
  public void run() {
    CompletableFuture<?> future = sent;
    if (future != null) {
      future.cancel(true);
      return;
    }
    SendInterrupt waiting = interrupt;
    if (waiting == null) {
      return;
    }
    if (headPassed || !clientTimesOut) {
      waiting.fire(); // the client's timeout has ended with the head
      return;
    }
    // In real time, as the client's own timeout is.
    lastResort = TimerScheduler.system().schedule(GRACE_NANOS, waiting::fire);
    if (interrupt == null) {
      returned(); // just now
    }
  }

  /** How long the body that is on its way, up or down, may still be silent. */
  long idleLeftNanos(long nowNanos) {
    long most = operation.plan().bodyIdleTimeoutNanos();
    WatchedSubscriber<T> collecting = collector;
    if (collecting != null) {
      return collecting.idleLeftNanos(nowNanos, most);
    }
    return answered ? most : body.idleLeftNanos(nowNanos, most);
  }

  @Override
  public BodySubscriber<T> apply(HttpResponse.ResponseInfo info) {
    RetryEnvironment environment = operation.plan().environment();
    if (asked) {
      return ofResend(environment.scheduler());
    }
    asked = true;
    answered = !attempt.stopped(); // one that comes too late is none
    if (origin == null) {
      headNanos = environment.ticker().getAsLong();
    }
    if (!attempt.head(Answer.head(info, origin))) {
      return new Discarder<>(environment.scheduler());
    }
    BodySubscriber<T> made;
    try {
      made = Objects.requireNonNull(users.apply(info), "body subscriber");
    } catch (Throwable thrown) {
      handlerFailed = true;
      attempt.userCodeFailed(thrown);
      // Not thrown on: the client would leave the body unread.
      return new Discarder<>(environment.scheduler(), thrown);
    }
    headPassed = true;
    int kept = RecordingSubscriber.givesBodyAtHead(made) ? 0 : operation.keepsAnswerBytes();
    boolean inMemory = WatchedSubscriber.collectsInMemory(made);
    if (inMemory && kept == 0 && operation.plan().endsBeforeIdleTimeout()) {
      return made; // the client runs its own subscribers without another thread's turn
    }
    BodySubscriber<T> recording = kept == 0 ? made : new RecordingSubscriber<>(made, kept);
    WatchedSubscriber<T> collecting = new WatchedSubscriber<>(recording, environment.ticker());
    collector = collecting;
    if (!inMemory) {
      attempt.leaveBodyToCaller();
    }
    return collecting;
  }

  // The JDK's own client asks once per call. Of the first answer the end is decided, or under way.
  private BodySubscriber<T> ofResend(RetryScheduler scheduler) {
    Throwable resent =
        new IllegalStateException("the wrapped client has sent the request again by itself");
    if (!attempt.stopped()) {
      attempt.userCodeFailed(resent);
    }
    return new Discarder<>(scheduler, resent);
  }

  /** The client's call is over, with exactly one of these. */
  @Override
  public void accept(@Nullable HttpResponse<T> response, @Nullable Throwable thrown) {
    try {
      if (response == null) {
        failed(Objects.requireNonNull(thrown));
      } else {
        succeeded(response);
      }
    } catch (Throwable broken) {
      attempt.complete(null, broken);
    }
  }

  private void succeeded(HttpResponse<T> response) {
    WatchedSubscriber<T> collecting = collector;
    status = response.statusCode();
    if (collecting != null) {
      BodyWatch.start(collecting, operation.plan(), attempt);
    }
    Answer<T> answer = Answer.whole(response, collecting);
    if (origin == null) {
      hidesEffect = AfterRedirect.hidesEffect(response);
      learn(answer);
    }
    attempt.complete(answer, null);
  }

  private void learn(Answer<T> answer) {
    try {
      operation.learn(answer, headNanos);
    } catch (Throwable thrown) {
      attempt.userCodeFailed(thrown); // the operation ends with it, and frees the response
    }
  }

  private void failed(Throwable thrown) {
    boolean blocking = sent == null;
    // What a blocking call throws has the caller's frames already, and belongs to it alone.
    Throwable own = blocking ? thrown : Failures.ownCopy(unwrapped(thrown));
    WatchedSubscriber<T> collecting = collector;
    Throwable userFailure = collecting == null ? null : collecting.userFailure();
    if ((handlerFailed || userFailure != null) && !attempt.stopped()) {
      attempt.userCodeFailed(blocking || userFailure == null ? own : unwrapped(userFailure));
    }
    RequestBodyChangedException changed = body.changed();
    boolean interrupted = blocking && own instanceof InterruptedException; // it is never replaced
    attempt.complete(null, changed == null || interrupted ? own : changed);
  }

  private static Throwable unwrapped(Throwable thrown) {
    Throwable each = thrown;
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
