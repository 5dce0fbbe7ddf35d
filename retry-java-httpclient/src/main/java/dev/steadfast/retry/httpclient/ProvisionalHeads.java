package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.http.HttpOperation;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The heads of one attempt where a head does not suffice: the client may send again after it, or
 * shows the requests before it only at the end of its call. The body of an answer that another
 * attempt may follow is kept until then, or left unread.
 */
final class ProvisionalHeads<T> {
  private final SeenRequests requests;
  private final boolean maySendAgain; // the client, within its call
  private final AttemptBody body;
  private final RetryScheduler timers;

  private volatile boolean waitsAgain; // the client has an answer, and perhaps sends again
  private volatile @Nullable Outcome outcome; // of the latest head
  private volatile @Nullable HeldBody<T> held; // of the latest head

  ProvisionalHeads(
      SeenRequests requests, boolean maySendAgain, AttemptBody body, RetryScheduler timers) {
    this.requests = requests;
    this.maySendAgain = maySendAgain;
    this.body = body;
    this.timers = timers;
  }

  /** The state of an attempt; null if the head of its answer suffices. */
  static <T> @Nullable ProvisionalHeads<T> of(
      WrappedClient wrapped, HttpOperation operation, HttpRequest request, AttemptBody body) {
    boolean own = wrapped.isJdks();
    boolean redirects = wrapped.client().followRedirects() != HttpClient.Redirect.NEVER;
    // Otherwise the next attempt is safe, whatever came before the answer.
    boolean unsafe =
        operation.safety() == Evidence.Safety.UNSAFE
            || operation.plan().replayable() == Replayable.NEVER;
    if (own && !(redirects && unsafe)) {
      return null;
    }
    SeenRequests requests = new SeenRequests(operation, request, redirects);
    return new ProvisionalHeads<>(requests, !own, body, operation.plan().timers());
  }

  /** Whether the client has a whole answer, and perhaps sends again. */
  boolean waitsAgain() {
    return waitsAgain;
  }

  /** The rules say what the latest head means. */
  void means(Outcome outcome) {
    this.outcome = outcome;
  }

  /** Whether the rules have judged the latest head. */
  boolean judged() {
    return outcome != null;
  }

  /**
   * The meaning of the answer, with all that is known by now.
   *
   * @param handedOn whether the user's code got the body before, so that no other may follow
   */
  Outcome outcome(Evidence evidence, boolean handedOn) {
    Outcome whole = Objects.requireNonNull(outcome).withEvidence(evidence);
    if (!handedOn || !(whole.verdict() instanceof Verdict.Retryable failed)) {
      return whole;
    }
    Verdict given =
        new Verdict.Permanent(StopReason.NOT_RETRYABLE, failed.kind(), failed.serverDelay());
    return new Outcome(given, whole.evidence());
  }

  /** Whether the latest body was kept at first. */
  boolean wasHeld() {
    return held != null;
  }

  /** The client may send again after an answer, within its call. */
  boolean maySendAgain() {
    return maySendAgain;
  }

  /** Notes a head. */
  void head(JdkAnswer<T> head) {
    requests.head(head.status(), body.passes());
    waitsAgain = false;
    held = null;
  }

  /**
   * Chooses the subscriber for the body of a head, after which the client may send again.
   *
   * @param accepted whether the answer is for the caller, unless the client sends again
   * @param users makes the user's subscriber
   */
  BodySubscriber<T> taker(
      Attempt<JdkAnswer<T>> attempt, boolean accepted, Supplier<BodySubscriber<T>> users) {
    BodySubscriber<T> taker = accepted ? users.get() : held(users);
    int number = requests.heads();
    return new EndOfBody<>(taker, () -> bodyOver(attempt, number));
  }

  private void bodyOver(Attempt<JdkAnswer<T>> attempt, int number) {
    if (requests.heads() == number) {
      waitsAgain = true;
      attempt.awaitsHead();
    }
  }

  private HeldBody<T> held(Supplier<BodySubscriber<T>> users) {
    // While the client may send again, no other attempt can be decided on.
    HeldBody<T> keeping = new HeldBody<>(timers, () -> users.get());
    held = keeping;
    return keeping;
  }

  /** The answer is judged before the client's call is over. */
  void decidesEarly() {
    requests.decidesEarly();
  }

  /** The call is over. */
  void over(HttpResponse<T> response) {
    requests.over(response);
  }

  /** The body if it was kept to the end of the call. */
  byte @Nullable [] whole() {
    HeldBody<T> keeping = held;
    return keeping == null ? null : keeping.whole();
  }

  /**
   * The evidence of the requests that the client has shown; null if it has shown none.
   *
   * @param status the status of the answer, -1 for a failure
   */
  @Nullable Evidence evidence(int status, boolean bodySpent) {
    if (requests.heads() == 0) {
      return null;
    }
    if (status < 0 && waitsAgain) {
      requests.lost();
    } else if (status < 0) {
      requests.decidesEarly();
    }
    return requests.evidence(status, bodySpent);
  }
}
