package dev.steadfast.retry.apache5;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.engine.SentBody;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.BodyStart;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.internal.Durations;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * One operation, on the classic client or an asynchronous one.
 *
 * @param <A> the answers of its attempts
 */
abstract class Apache5Transport<A extends Apache5Answer<?>>
    implements RetryTransport<A>, Journaling.Codec<A>, Cancellable {
  private static final Evidence NOTHING =
      Evidence.of(Disposition.UNSENT, Evidence.Safety.UNPROCESSED, -1, 0);

  final HttpOperation operation;
  final HttpRequest request; // as our handler got it
  final @Nullable SentBody body; // null: none, or its bytes are in memory and cannot change
  final @Nullable BodyTurn turn; // null: without a producer of a body

  private final long spentNanos;
  private final @Nullable BodyDeadline deadline;
  private final RetryLoop<A> loop;

  private volatile boolean cancelled; // by the caller
  private volatile @Nullable WireTrace wire; // of the current attempt
  // How the attempt before ended, if the body is watched.
  private volatile @Nullable A earlierAnswer;
  private volatile @Nullable Throwable earlierFailure;

  /**
   * The operation of a request that has reached our handler.
   *
   * @param runtime that of its call
   */
  Apache5Transport(
      HttpRetry retry, Apache5Views.OfRequest view, HttpContext context, Object runtime) {
    FirstOperation first = FirstOperation.of(retry, view, context, runtime);
    this.operation = first.operation();
    this.request = view.request();
    this.body = view.sent();
    this.turn =
        view.entity() instanceof AsyncEntityProducer producer ? new BodyTurn(producer) : null;
    this.spentNanos = first.spentNanos();
    this.deadline = BodyDeadline.of(operation.plan(), boundNanos());
    this.loop = operation.loop(operation.plan(), this, this);
  }

  /** The rest of the time that the options give the call. */
  final long boundNanos() {
    return Durations.left(operation.boundNanos(), spentNanos);
  }

  @Override
  public final long spentNanos() {
    return spentNanos;
  }

  /** The loop, which ends when the caller cancels. */
  final RetryLoop<A> loop(@Nullable CancellableDependency callers) {
    if (callers != null) {
      callers.setDependency(this);
      if (callers.isCancelled()) {
        cancel();
      }
    }
    return loop;
  }

  /** The caller cancels: that ends the operation, and its attempt on the wire. */
  @Override
  public final boolean cancel() {
    boolean first = !cancelled;
    cancelled = true;
    loop.cancel();
    WireTrace last = wire; // also after the head: the caller may be reading the body
    if (last != null) {
      last.drop();
    }
    return first;
  }

  final boolean isCancelled() {
    return cancelled;
  }

  @SuppressWarnings("ReferenceEquality") // the very one
  final boolean isCurrent(WireTrace attempt) {
    return attempt == wire;
  }

  // ---- attempts

  /**
   * Begins an attempt, and gives it its headers.
   *
   * @param attempted what goes to the rest of the client
   * @param original what redirects and challenges start from; it lacks the changes of handlers
   *     around ours
   * @return the trace of the attempt, null if it is over already
   */
  final @Nullable WireTrace begins(
      Attempt<A> attempt, HttpRequest attempted, HttpRequest original) {
    wire = null;
    BiConsumer<String, String> header =
        (name, value) -> {
          attempted.setHeader(name, value);
          original.setHeader(name, value);
        };
    if (operation.changesHeaders()) {
      operation.headers(attempt.timeoutNanos(), header);
    }
    boolean queued = attempt.blocking() || attempt.queued();
    if (!queued || !attempt.begin(attempted)) {
      return null;
    }
    operation.lateHeaders(attempt).forEach(header);
    WireTrace made = new WireTrace(this, attempt);
    wire = made;
    if (turn != null) {
      turn.begins();
    }
    attempt.onCancel(made::drop);
    return made;
  }

  /** Another attempt follows this answer. */
  final void unwanted(A answer) {
    if (body != null) {
      earlierAnswer = answer.whole() == null ? null : answer;
      earlierFailure = null;
    }
  }

  /** Ends a failed attempt. If its body has changed, the end of the attempt before tells more. */
  final void failed(Attempt<A> attempt, Throwable thrown) {
    Throwable changed = changed();
    if (changed == null) {
      attempt.complete(null, thrown);
      return;
    }
    A answer = earlierAnswer;
    Throwable earlier = earlierFailure;
    Throwable told = earlier == null ? changed : earlier;
    attempt.complete(answer, answer == null ? told : null);
  }

  @Override
  public final A deliver(A answer, @Nullable RetryReport report) {
    if (deadline != null) {
      bound(answer, deadline);
    }
    boolean keyed = operation.info().idempotencyKey().isPresent();
    if (report != null || keyed || answer.status() >= 400) { // else the head is enough
      answer.carry(operation.report(report));
    }
    return answer;
  }

  /** Sets a deadline on the body that the caller is about to read. */
  abstract void bound(A answer, BodyDeadline end);

  /** The part of a body that is about to come; null if its reader gets it at once. */
  final @Nullable BodyStart bodyStart(A head, EntityDetails body) {
    // The headers may still name the encoding of a body which the client has decompressed.
    boolean decompressed = body.getContentEncoding() == null;
    return BodyStart.of(operation, head, body.getContentLength(), decompressed);
  }

  // ---- outcomes

  private boolean isSpent() {
    return body != null && body.isSpent();
  }

  private @Nullable RequestBodyChangedException changed() {
    return body == null ? null : body.changed();
  }

  @Override
  public final Outcome outcome(A answer) {
    if (changed() != null) {
      return outcomeOfChanged();
    }
    WireTrace of = answer.wire();
    if (of == null) { // a journal kept it
      return new Outcome(Verdict.acceptedWithoutServer(), NOTHING);
    }
    Evidence evidence = of.log.evidence(answer.status(), isSpent());
    return of.answeredByNetwork()
        ? operation.outcome(answer, evidence)
        : new Outcome(Verdict.acceptedWithoutServer(), evidence); // of the cache, or a handler's
  }

  @Override
  public final Outcome outcome(Throwable failure) {
    WireTrace of = wire;
    if (of == null) {
      return operation.outcome(
          TransportFailure.permanent(FailureKind.OTHER, StopReason.NOT_RETRYABLE), NOTHING);
    }
    if (changed() != null) {
      return outcomeOfChanged();
    }
    earlierFailure = body == null ? null : failure;
    Evidence evidence = of.log.evidence(-1, isSpent());
    TransportFailure classified = classify(failure, of);
    Apache5Answer<?> head = of.head();
    if (classified != null || head == null) {
      TransportFailure seen = classified == null ? Apache5Failures.ofHandler(failure) : classified;
      return operation.outcome(seen, evidence);
    }
    Outcome ofHead = operation.outcome(head, of.log.evidence(head.status(), isSpent()));
    return ofHead.verdict() instanceof Verdict.Accepted // it is no success
        ? operation.outcome(Apache5Failures.ofHandler(failure), evidence)
        : ofHead;
  }

  /** The meaning of a failure of the client; null if a handler turned an answer into it. */
  abstract @Nullable TransportFailure classify(Throwable failure, WireTrace of);

  private Outcome outcomeOfChanged() {
    WireTrace last = wire;
    return operation.outcome(
        TransportFailure.permanent(FailureKind.OTHER, StopReason.BODY_CHANGED),
        last == null ? NOTHING : last.log.evidence(-1, true));
  }

  @Override
  public final Evidence evidence() {
    WireTrace of = wire;
    return of == null ? NOTHING : of.ended(isSpent());
  }

  @Override
  public final Map<String, List<String>> headers(A answer) {
    return answer.headerMap();
  }

  // ---- ends from outside

  @Override
  public final Throwable timedOut(TimeUp limit) {
    return new SocketTimeoutException("timeout: " + limit);
  }

  @Override
  public final Throwable failure(End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT, DEADLINE -> new SocketTimeoutException("timeout");
      case CANCELLED -> cancelled();
      case INTERRUPTED -> {
        Thread.currentThread().interrupt();
        yield new InterruptedIOException("interrupted");
      }
      case REJECTED -> new IOException("the scheduler accepts no retry", cause);
    };
  }

  /** The exception for a caller who has cancelled. */
  abstract Throwable cancelled();

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
    answer.carry(report);
    return answer;
  }

  /** Makes an answer that a journal has kept. */
  abstract A kept(ResponseView head, byte[] bytes);

  @Override
  public final Journaling.EarlierRequest earlierRequest(A answer) {
    WireTrace of = answer.wire();
    return of == null ? Journaling.EarlierRequest.NONE : of.earlierRequest();
  }
}
