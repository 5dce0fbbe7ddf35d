package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.paths.WirePath;
import java.net.ConnectException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt on the wire. It is the body handler that the client sees. It has the head judged
 * before the user's handler is asked, so a response that will be retried never reaches the user's
 * handler. It also learns of the end of the client's call.
 */
final class AttemptBodyHandler<T> extends AttemptRequest
    implements BodyHandler<T>, BiConsumer<@Nullable HttpResponse<T>, @Nullable Throwable> {
  // Null once the client's call is over. The client holds this for as long as a body is on its way,
  // and an attempt leads to the client itself, which it would keep from being collected.
  private volatile @Nullable Attempt<JdkAnswer<T>> attempt;
  private final HttpOperation operation;
  private final AnswerState answer;
  private final UsersBody<T> users;
  private final PreviousEnd<T> previousEnd;

  private volatile @Nullable ProvisionalHeads<T> provisional; // null: a head suffices
  private volatile @Nullable UnreadBody<T> unread; // null: the client's call includes the body
  private volatile @Nullable Function<HttpResponse.ResponseInfo, @Nullable WirePath> headCame;

  AttemptBodyHandler(
      Attempt<JdkAnswer<T>> attempt,
      AttemptBody body,
      BodyHandler<T> users,
      HttpOperation operation) {
    super(body);
    this.attempt = attempt;
    this.operation = operation;
    this.answer = new AnswerState(operation);
    this.users = new UsersBody<>(users, operation);
    this.previousEnd = new PreviousEnd<>(body, users);
  }

  /** Whether the head of the response came. */
  boolean answered() {
    return answer.came() && !waitsAgain();
  }

  /** Sets the state for heads that do not suffice, null if one does. */
  void heads(@Nullable ProvisionalHeads<T> heads) {
    provisional = heads;
  }

  @Nullable ProvisionalHeads<T> heads() {
    return provisional;
  }

  private boolean waitsAgain() {
    ProvisionalHeads<T> heads = provisional;
    return heads != null && heads.waitsAgain();
  }

  /** Whether the user's code got an answer that the rules would have retried. */
  boolean handedOnEarly() {
    ProvisionalHeads<T> heads = provisional;
    return heads != null && heads.wasHeld() && users.handsOn();
  }

  /** The known facts of the answer. */
  AnswerState answer() {
    return answer;
  }

  /** The end of the attempt if its body cannot be sent. */
  PreviousEnd<T> previousEnd() {
    return previousEnd;
  }

  /** The body of the answer; null if it is not whole, too long, or left to the caller to read. */
  byte @Nullable [] recordedBody() {
    return users.recorded();
  }

  /** Whether the user's code has already received a part of the body. */
  boolean handedOn() {
    return !waitsAgain() && users.handedOn();
  }

  /** How long the body that is on its way, up or down, may still be silent. */
  long idleLeftNanos(long nowNanos) {
    long most = operation.plan().bodyIdleTimeoutNanos();
    return answered() ? users.idleLeftNanos(nowNanos, most) : body().idleLeftNanos(nowNanos, most);
  }

  /**
   * Sets a function that is told of each head, until the client's call is over. It returns the
   * connections over which the head came.
   */
  void tellsOfHeads(Function<HttpResponse.ResponseInfo, @Nullable WirePath> told) {
    headCame = told;
  }

  @Override
  public BodySubscriber<T> apply(HttpResponse.ResponseInfo info) {
    Attempt<JdkAnswer<T>> running = attempt;
    if (running == null) {
      return new Discarder<>(operation.plan().timers());
    }
    Function<HttpResponse.ResponseInfo, @Nullable WirePath> told = headCame;
    WirePath path = told == null || running.stopped() ? null : told.apply(info);
    JdkAnswer<T> head = answer.head(info, !running.stopped());
    Supplier<BodySubscriber<T>> ofUsers = () -> ofUsers(running, info, path);
    StreamStart beginning = StreamStart.of(operation, info);
    users.follows(beginning);
    if (beginning == null) {
      return taker(running, head, UnreadBody.judged(operation, info), ofUsers);
    }
    stop().headPassed(); // the client's own timeout ends with the head, and the attempt goes on
    return beginning.taker(error -> taker(running, head.begunWith(error), false, ofUsers));
  }

  private BodySubscriber<T> taker(
      Attempt<JdkAnswer<T>> running,
      JdkAnswer<T> head,
      boolean judged,
      Supplier<BodySubscriber<T>> ofUsers) {
    ProvisionalHeads<T> heads = provisional;
    if (heads == null) {
      return judged ? leaveUnread(running, head, true, ofUsers) : decided(running, head, ofUsers);
    }
    heads.head(head);
    boolean accepted = !judged && running.peek(head);
    if (heads.maySendAgain()) {
      return heads.taker(running, accepted, ofUsers);
    }
    return accepted ? ofUsers.get() : leaveUnread(running, head, judged, ofUsers);
  }

  private BodySubscriber<T> decided(
      Attempt<JdkAnswer<T>> running, JdkAnswer<T> answer, Supplier<BodySubscriber<T>> ofUsers) {
    return running.head(answer)
        ? ofUsers.get()
        : previousEnd.taker(new Discarder<>(operation.plan().timers()));
  }

  private BodySubscriber<T> leaveUnread(
      Attempt<JdkAnswer<T>> running,
      JdkAnswer<T> head,
      boolean judged,
      Supplier<BodySubscriber<T>> ofUsers) {
    UnreadBody<T> left = new UnreadBody<>(running, provisional, head);
    unread = left;
    return left.taker(
        operation.plan().timers(), judged, answer -> decided(running, answer, ofUsers));
  }

  private BodySubscriber<T> ofUsers(
      Attempt<JdkAnswer<T>> running, HttpResponse.ResponseInfo info, @Nullable WirePath path) {
    stop().headPassed();
    ProvisionalHeads<T> heads = provisional;
    boolean maySendAgain = heads != null && heads.maySendAgain();
    return users.taker(running, info, path, maySendAgain);
  }

  /** The asynchronous call of the client is over, with exactly one of these. */
  @Override
  public void accept(@Nullable HttpResponse<T> response, @Nullable Throwable thrown) {
    UnreadBody<T> left = unread;
    if (response == null || left == null) {
      over(response, thrown);
    } else {
      left.read(response, operation.plan().timers(), this::over);
    }
  }

  /** Reads the body of the response that the client gave to the calling thread, if it is unread. */
  HttpResponse<T> whole(HttpResponse<T> response) throws Throwable {
    UnreadBody<T> left = unread;
    return left == null ? response : left.read(response);
  }

  /** The client's call and the body of its response are over, with exactly one of these. */
  void over(@Nullable HttpResponse<T> response, @Nullable Throwable thrown) {
    Attempt<JdkAnswer<T>> over = Objects.requireNonNull(attempt, "the call was over before");
    attempt = null;
    headCame = null;
    body().over();
    try {
      if (response == null) {
        failed(over, Objects.requireNonNull(thrown));
      } else {
        succeeded(over, response);
      }
    } catch (Throwable broken) {
      over.complete(null, broken);
    }
  }

  private void succeeded(Attempt<JdkAnswer<T>> attempt, HttpResponse<T> response) {
    answer.whole(response);
    byte[] bytes = kept(response);
    JdkAnswer<T> whole = users.answer(response, attempt.remainingNanos());
    boolean delivers = bytes != null && attempt.head(readBy(whole, bytes));
    learn(attempt, whole);
    if (bytes != null && delivers) {
      deliverHeld(attempt, response, bytes);
      return;
    }
    previousEnd.keep(response, bytes);
    attempt.complete(whole, null);
  }

  /** The body if it was kept and nothing was decided yet. */
  private byte @Nullable [] kept(HttpResponse<T> response) {
    UnreadBody<T> left = unread;
    if (left != null) {
      unread = null;
      return left.whole();
    }
    ProvisionalHeads<T> heads = provisional;
    if (heads == null) {
      return null;
    }
    heads.over(response);
    return heads.whole();
  }

  private JdkAnswer<T> readBy(JdkAnswer<T> answer, byte[] bytes) {
    return operation.judgedBodyBytes(answer.status()) > 0 ? answer.judgedWith(bytes) : answer;
  }

  private void deliverHeld(Attempt<JdkAnswer<T>> attempt, HttpResponse<T> response, byte[] bytes) {
    try {
      attempt.complete(users.answer(response, bytes), null);
    } catch (Throwable thrown) {
      attempt.userCodeFailed(thrown);
      attempt.complete(null, thrown);
    }
  }

  private void learn(Attempt<JdkAnswer<T>> attempt, JdkAnswer<T> whole) {
    try {
      answer.learn(whole);
    } catch (Throwable thrown) {
      attempt.userCodeFailed(thrown); // the operation ends with it, and frees the response
    }
  }

  private void failed(Attempt<JdkAnswer<T>> attempt, Throwable thrown) {
    boolean blocking = stop().blocking();
    // An exception that a blocking call throws has the caller's frames already, and belongs to it
    // alone.
    Throwable own = blocking ? thrown : Failures.ownCopy(Failures.unwrapped(thrown));
    Throwable ofUsers = users.failure(own, blocking);
    if (ofUsers != null) {
      attempt.userCodeFailed(ofUsers);
    }
    boolean interrupted = blocking && own instanceof InterruptedException; // it is never replaced
    if (!interrupted && !answered() && previousEnd.ends(attempt)) {
      return;
    }
    Throwable source = body().sourceFailure();
    if (source != null) {
      // The client wraps the publisher's exception. A ConnectException was hidden from it.
      attempt.userCodeFailed(blocking && !(source instanceof ConnectException) ? own : source);
    }
    UnreadBody<T> left = unread;
    if (left != null) {
      unread = null;
      left.fails();
    }
    RequestBodyChangedException changed = body().changed();
    attempt.complete(null, changed == null || interrupted ? own : changed);
  }
}
