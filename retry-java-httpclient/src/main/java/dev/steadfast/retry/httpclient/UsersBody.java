package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.paths.WirePath;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The body of an attempt's answer, as the user's handler takes it. */
final class UsersBody<T> {
  private final BodyHandler<T> handler;
  private final HttpOperation operation;

  private volatile @Nullable StreamStart start; // of the latest body; null: not awaited
  private volatile @Nullable WatchedSubscriber<T> collector; // null: none yet, or none is needed
  private volatile boolean handlerFailed;
  private volatile byte @Nullable [] kept; // the whole body, if it was kept for the handler

  UsersBody(BodyHandler<T> handler, HttpOperation operation) {
    this.handler = handler;
    this.operation = operation;
  }

  /** Another head came; its body may begin with an event that the rules wait for. */
  void follows(@Nullable StreamStart beginning) {
    start = beginning;
    collector = null;
  }

  /**
   * Asks the user's handler for the subscriber. A failure of the handler ends the attempt.
   *
   * @param path the connections over which the head came, null if they are not watched
   * @param early whether the client may read the body within its call, and then send again
   */
  BodySubscriber<T> taker(
      Attempt<JdkAnswer<T>> attempt,
      HttpResponse.ResponseInfo info,
      @Nullable WirePath path,
      boolean early) {
    BodySubscriber<T> made;
    try {
      made = Objects.requireNonNull(handler.apply(info), "body subscriber");
    } catch (Throwable thrown) {
      handlerFailed = true;
      attempt.userCodeFailed(thrown);
      // Not thrown on: the client would leave the body unread.
      return new Discarder<>(operation.plan().timers(), thrown);
    }
    boolean atHead = RecordingSubscriber.givesBodyAtHead(handler, made);
    int recorded = atHead ? 0 : operation.keepsAnswerBytes();
    boolean inMemory = WatchedSubscriber.collectsInMemory(made);
    if (inMemory && recorded == 0 && operation.plan().endsBeforeIdleTimeout()) {
      return made; // unwrapped, the client's own subscribers need no change of thread
    }
    BodySubscriber<T> recording = recorded == 0 ? made : new RecordingSubscriber<>(made, recorded);
    WatchedSubscriber<T> collecting =
        new WatchedSubscriber<>(recording, operation.plan().environment().ticker());
    collecting.comesOver(path);
    if (atHead && !early) {
      collecting.waitsForCall();
    }
    collector = collecting;
    if (!inMemory) {
      attempt.leaveBodyToCaller();
    }
    return collecting;
  }

  /** Whether the user's code gives parts of the body on. */
  boolean handsOn() {
    WatchedSubscriber<T> collecting = collector;
    return collecting != null && collecting.handsOn();
  }

  /** Whether the user's code has already received a part of the body. */
  boolean handedOn() {
    StreamStart beginning = start;
    return (beginning != null && beginning.isOver()) || handsOn();
  }

  /** How long the body may still be silent. */
  long idleLeftNanos(long nowNanos, long mostNanos) {
    WatchedSubscriber<T> collecting = collector;
    return collecting == null ? mostNanos : collecting.idleLeftNanos(nowNanos, mostNanos);
  }

  /** The body; null if it is not whole, too long, or left to the caller to read. */
  byte @Nullable [] recorded() {
    byte[] whole = kept;
    if (whole != null) {
      return whole.length <= operation.keepsAnswerBytes() ? whole : null;
    }
    WatchedSubscriber<T> collecting = collector;
    return collecting == null ? null : collecting.recorded();
  }

  /**
   * The whole answer. If its body is still on its way to the caller, it is watched from now on.
   *
   * @param leftNanos the time that is left for the operation
   */
  JdkAnswer<T> answer(HttpResponse<T> response, long leftNanos) {
    WatchedSubscriber<T> collecting = collector;
    if (collecting != null) {
      collecting.callOver();
      BodyWatch.start(collecting, operation.plan(), leftNanos);
    }
    StreamStart beginning = start;
    JdkAnswer<T> whole = JdkAnswer.whole(response, collecting);
    return beginning == null ? whole : whole.begunWith(beginning.error());
  }

  /** The answer whose body was kept: the user's handler gets it now. */
  JdkAnswer<T> answer(HttpResponse<T> response, byte[] whole) throws IOException {
    kept = whole;
    return JdkAnswer.whole(StoredResponse.of(response, whole, handler), null);
  }

  /**
   * The failure of the user's handler or its subscriber, null if neither failed.
   *
   * @param shown the failure that the client shows
   * @param blocking whether the caller gets that one
   */
  @Nullable Throwable failure(Throwable shown, boolean blocking) {
    WatchedSubscriber<T> collecting = collector;
    Throwable thrown = collecting == null ? null : collecting.userFailure();
    if (thrown == null) {
      return handlerFailed ? shown : null;
    }
    return blocking ? shown : Failures.unwrapped(thrown);
  }
}
