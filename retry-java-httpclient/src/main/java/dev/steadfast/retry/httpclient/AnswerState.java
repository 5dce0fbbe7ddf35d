package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpOperation;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** The known facts of an answer: first of its latest head, at last of the whole response. */
final class AnswerState {
  private final HttpOperation operation;

  private @Nullable String origin; // of all answers; null: the client follows redirects
  private volatile long headNanos; // when the head came, if the origin is not known before the body
  private volatile boolean came;
  private volatile @Nullable Verdict verdict; // on the latest head; null: the rules were not asked
  private volatile int status = -1; // of the whole response
  private volatile boolean hidesEffect; // the whole response hides an effect

  AnswerState(HttpOperation operation) {
    this.operation = operation;
  }

  /** Sets the only origin that can answer, as the client follows no redirects. */
  void comesFrom(String origin) {
    this.origin = origin;
  }

  /**
   * Notes a head.
   *
   * @param inTime whether it counts: it came before the attempt was stopped
   */
  <T> JdkAnswer<T> head(HttpResponse.ResponseInfo info, boolean inTime) {
    came = inTime;
    if (origin == null) {
      headNanos = operation.plan().environment().ticker().getAsLong();
    }
    return JdkAnswer.head(info, origin);
  }

  /** Whether a head came in time. */
  boolean came() {
    return came;
  }

  /** The rules say what the latest head means. */
  void means(Verdict ofRules) {
    verdict = ofRules;
  }

  /** Notes the whole response. */
  void whole(HttpResponse<?> response) {
    status = response.statusCode();
    hidesEffect = origin == null && AfterRedirect.hidesEffect(response);
  }

  /** The status of the response once it is whole, -1 before. */
  int status() {
    return status;
  }

  /**
   * Whether a request before a redirect may have had an effect that the answer does not tell of.
   */
  boolean hidesEffect() {
    return hidesEffect;
  }

  /** Tells the guards of the answer, if its origin was not known when its head came. */
  void learn(JdkAnswer<?> answer) {
    if (origin == null) {
      operation.learn(answer, verdict, headNanos);
    }
  }
}
