package dev.steadfast.retry.apache5;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.ResponseView;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.support.BasicRequestBuilder;
import org.jspecify.annotations.Nullable;

/** One operation on an asynchronous client. */
final class AsyncTransport
    implements RetryTransport<AsyncAnswer>, Journaling.Codec<AsyncAnswer>, AsyncAttempt.Owner {
  private final HttpOperation operation;
  private final HttpRequest request;
  private final AsyncCall call;
  private final BufferedBodies bodies;
  private final SentBody body;
  private final @Nullable BodyDeadline deadline;
  private final Outcomes outcomes;

  private volatile @Nullable AsyncAnswer earlierAnswer; // of the attempt before

  AsyncTransport(
      HttpOperation operation,
      HttpRequest request,
      AsyncCall call,
      BufferedBodies shared,
      long spentNanos) {
    this.operation = operation;
    this.request = request;
    this.call = call;
    this.bodies = shared.keeping(operation.keepsAnswerBytes());
    this.body = new SentBody(call.producer());
    this.deadline = BodyDeadline.of(operation, spentNanos);
    this.outcomes = new Outcomes(operation, body, Apache5Failures::classifyAsync);
  }

  @Override
  public void start(Attempt<AsyncAnswer> attempt) {
    outcomes.begins(null);
    HttpRequest attempted = BasicRequestBuilder.copy(request).build();
    operation.headers(attempt.timeoutNanos(), attempted::setHeader);
    if (!attempt.queued() || !attempt.begin(attempted)) {
      return;
    }
    operation.lateHeaders(attempt).forEach(attempted::setHeader);
    WireTrace made = new WireTrace(operation, attempted, attempt, body, call::cancelled);
    outcomes.begins(made);
    AsyncAttempt callback = new AsyncAttempt(attempt, made, bodies, this);
    try {
      call.send(attempted, attempt, callback);
    } catch (Throwable thrown) {
      callback.refused(thrown);
    }
  }

  /** The answer of the attempt before tells the caller more than a body that has changed. */
  @Override
  public void failed(Attempt<AsyncAnswer> attempt, Throwable thrown) {
    AsyncAnswer answer = body.changed() == null ? null : earlierAnswer;
    Throwable failure = body.changed() == null ? null : outcomes.earlierFailure();
    Throwable changed = body.changed();
    Throwable own = failure != null ? failure : changed != null ? changed : thrown;
    attempt.complete(answer, answer != null ? null : own);
  }

  @Override
  public Outcome outcome(AsyncAnswer answer) {
    return outcomes.of(answer, answer.wire());
  }

  @Override
  public Outcome outcome(Throwable failure) {
    return outcomes.of(failure);
  }

  @Override
  public Evidence evidence() {
    return outcomes.evidence();
  }

  @Override
  public Map<String, List<String>> headers(AsyncAnswer answer) {
    return answer.headerMap();
  }

  @Override
  public void discard(AsyncAnswer answer) {
    if (answer.whole() == null) {
      answer.body().discard();
    }
    unwanted(answer);
  }

  @Override
  public void unwanted(AsyncAnswer answer) {
    byte[] whole = answer.whole();
    earlierAnswer = whole == null || !body.isWatched() ? null : answer.read(whole);
    outcomes.forgetFailure();
  }

  @Override
  public AsyncAnswer deliver(AsyncAnswer answer, @Nullable RetryReport report) {
    if (deadline != null) {
      answer.body().bound(deadline);
    }
    OperationInfo info = operation.info();
    boolean told = report == null && info.idempotencyKey().isEmpty() && answer.status() < 400;
    if (!told) {
      CarriedReport.put(answer.response(), operation.report(report));
    }
    return answer;
  }

  @Override
  public Throwable timedOut(TimeUp limit) {
    return new SocketTimeoutException("timeout: " + limit);
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT, DEADLINE -> new SocketTimeoutException("timeout");
      case CANCELLED -> new CancellationException("Request execution cancelled");
      case INTERRUPTED -> new InterruptedIOException("interrupted");
      case REJECTED -> new IOException("the scheduler accepts no retry", cause);
    };
  }

  // ---- what a journal keeps

  @Override
  public ResponseView head(AsyncAnswer answer) {
    return answer;
  }

  @Override
  public byte @Nullable [] body(AsyncAnswer answer) {
    byte[] whole = answer.whole();
    return whole != null && whole.length <= operation.keepsAnswerBytes() ? whole : null;
  }

  @Override
  public Journaling.EarlierRequest earlierRequest(AsyncAnswer answer) {
    WireTrace of = answer.wire();
    return of == null ? Journaling.EarlierRequest.NONE : of.earlierRequest();
  }

  @Override
  public AsyncAnswer restore(ResponseView head, byte[] bytes, RetryReport report) {
    AsyncAnswer kept = AsyncAnswer.kept(head, bytes);
    CarriedReport.put(kept.response(), report);
    return kept;
  }
}
