package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One operation, on the classic client or an asynchronous one.
 *
 * @param <A> the answers of its attempts
 */
abstract class Apache5Transport<A extends Received<?>>
    implements RetryTransport<A>, Journaling.Codec<A> {
  final HttpOperation operation;
  final SentBody body;
  final Outcomes outcomes;

  private final @Nullable BodyDeadline deadline;
  private volatile @Nullable A earlierAnswer; // of the attempt before, if the body is watched

  Apache5Transport(HttpOperation operation, SentBody body, long spentNanos) {
    this.operation = operation;
    this.body = body;
    this.deadline = BodyDeadline.of(operation, spentNanos);
    this.outcomes = new Outcomes(operation, body, this::classify);
  }

  /** The proof that a failure of the client gives; null if it is no failure of the client's own. */
  abstract @Nullable TransportFailure classify(Throwable failure, WireTrace of);

  /** An answer that the next attempt follows; null if its body was not read. */
  final void followed(@Nullable A answer) {
    if (body.isWatched()) {
      earlierAnswer = answer;
      outcomes.forgetFailure();
    }
  }

  /** The answer of the attempt before tells the caller more than a body that has changed. */
  public final void failed(Attempt<A> attempt, Throwable thrown) {
    Throwable changed = body.changed();
    A answer = changed == null ? null : earlierAnswer;
    if (answer != null) {
      attempt.complete(answer, null);
      return;
    }
    Throwable earlier = changed == null ? null : outcomes.earlierFailure();
    attempt.complete(null, earlier != null ? earlier : changed != null ? changed : thrown);
  }

  @Override
  public final A deliver(A answer, @Nullable RetryReport report) {
    if (deadline != null) {
      bound(answer, deadline);
    }
    boolean keyed = operation.info().idempotencyKey().isPresent();
    if (report != null || keyed || answer.status() >= 400) { // else its head says everything
      CarriedReport.put(answer.response(), operation.report(report));
    }
    return answer;
  }

  /** Sets a deadline on the body that the caller is about to read. */
  abstract void bound(A answer, BodyDeadline end);

  @Override
  public final Outcome outcome(A answer) {
    return outcomes.of(answer, answer.wire());
  }

  @Override
  public final Outcome outcome(Throwable failure) {
    return outcomes.of(failure);
  }

  @Override
  public final Evidence evidence() {
    return outcomes.evidence();
  }

  @Override
  public final Map<String, List<String>> headers(A answer) {
    return answer.headerMap();
  }

  @Override
  public final Throwable timedOut(TimeUp limit) {
    return new SocketTimeoutException("timeout: " + limit);
  }

  @Override
  public final Throwable failure(End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT, DEADLINE -> new SocketTimeoutException("timeout");
      case CANCELLED -> cancelled();
      case INTERRUPTED -> interrupted();
      case REJECTED -> new IOException("the scheduler accepts no retry", cause);
    };
  }

  /** The exception for a caller who has cancelled. */
  abstract Throwable cancelled();

  /** The exception for a caller who was interrupted. */
  Throwable interrupted() {
    return new InterruptedIOException("interrupted");
  }

  // ---- what a journal keeps

  @Override
  public final ResponseView head(A answer) {
    return answer;
  }

  @Override
  public final byte @Nullable [] body(A answer) {
    byte[] whole = answer.whole();
    return whole != null && whole.length <= operation.keepsAnswerBytes() ? whole : null;
  }

  @Override
  public final A restore(ResponseView head, byte[] bytes, RetryReport report) {
    A answer = kept(head, bytes);
    CarriedReport.put(answer.response(), report);
    return answer;
  }

  /** An answer of which a journal has kept this. */
  abstract A kept(ResponseView head, byte[] bytes);

  @Override
  public final Journaling.EarlierRequest earlierRequest(A answer) {
    WireTrace of = answer.wire();
    return of == null ? Journaling.EarlierRequest.NONE : of.earlierRequest();
  }
}
