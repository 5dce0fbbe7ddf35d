package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.UnwantedBody;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt if its request body cannot be sent again: the answer to the attempt before,
 * which tells the caller more than the failure of the body does. So an attempt whose body may fail
 * next time keeps its own answer.
 */
final class PreviousEnd<T> {
  private final AttemptBody body;
  private final BodyHandler<T> users;
  private @Nullable PreviousAnswer<T> before; // to the attempt before, if it was kept

  private volatile @Nullable RecordingSubscriber<T> recorded; // of an answer to be retried
  private volatile @Nullable PreviousAnswer<T> kept; // that answer
  private volatile @Nullable StopReason used;

  PreviousEnd(AttemptBody body, BodyHandler<T> users) {
    this.body = body;
    this.users = users;
  }

  /**
   * Sets the answer to the attempt before, null if it was not kept. The request is not sent yet.
   */
  void follows(@Nullable PreviousAnswer<T> answer) {
    before = answer;
  }

  /** Takes the body of an answer that another attempt follows. */
  BodySubscriber<T> taker(Discarder<T> discarder) {
    if (!body.mayFail()) {
      return discarder;
    }
    RecordingSubscriber<T> recording =
        new RecordingSubscriber<>(discarder, UnwantedBody.MOST_BYTES);
    recorded = recording;
    return recording;
  }

  /**
   * The answer is whole.
   *
   * @param held its body, if it was held back; null if not
   */
  void keep(HttpResponse<T> response, byte @Nullable [] held) {
    RecordingSubscriber<T> recording = recorded;
    byte[] bytes = recording == null ? held : recording.whole();
    kept = bytes == null || !body.mayFail() ? null : new PreviousAnswer<>(response, bytes);
  }

  /** The answer, if another attempt follows it and may find that it cannot send the body. */
  @Nullable PreviousAnswer<T> kept() {
    return kept;
  }

  /** Why the request body could not be sent, so that the attempt ended as the one before. */
  @Nullable StopReason used() {
    return used;
  }

  /** Ends an attempt that has no answer, if its body could not be sent. */
  boolean ends(Attempt<JdkAnswer<T>> attempt) {
    StopReason reason = body.whyNotSent();
    if (before == null || reason == null || attempt.stopped()) {
      return false;
    }
    HttpResponse<T> response;
    try {
      response = before.handledBy(users);
    } catch (Throwable thrown) {
      attempt.userCodeFailed(thrown);
      attempt.complete(null, thrown);
      return true;
    }
    used = reason;
    attempt.complete(JdkAnswer.whole(response, null), null);
    return true;
  }
}
