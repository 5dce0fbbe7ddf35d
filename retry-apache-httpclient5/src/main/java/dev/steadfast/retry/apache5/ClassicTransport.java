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
import java.util.function.BiConsumer;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.jspecify.annotations.Nullable;

/** One operation on the classic client. */
final class ClassicTransport implements RetryTransport<Answer>, Journaling.Codec<Answer> {
  private final HttpOperation operation;
  private final ClassicHttpRequest request;
  private final RetryExec.Proceed proceed;
  private final BufferedBodies bodies;
  private final SentBody body;
  private final @Nullable BodyDeadline deadline;
  private final Outcomes outcomes;

  private volatile @Nullable Answer earlierAnswer; // of the attempt before, if the body is watched

  ClassicTransport(
      HttpOperation operation,
      ClassicHttpRequest request,
      RetryExec.Proceed proceed,
      BufferedBodies shared,
      long spentNanos) {
    this.operation = operation;
    this.request = request;
    this.proceed = proceed;
    this.bodies = shared.keeping(operation.keepsAnswerBytes());
    this.body = new SentBody(request.getEntity());
    this.deadline = BodyDeadline.of(operation, spentNanos);
    this.outcomes = new Outcomes(operation, body, Apache5Failures::classify);
  }

  @Override
  public void start(Attempt<Answer> attempt) {
    outcomes.begins(null);
    ClassicHttpRequest attempted = ClassicRequestBuilder.copy(request).build();
    ClassicHttpRequest original = proceed.original();
    BiConsumer<String, String> header =
        (name, value) -> {
          attempted.setHeader(name, value);
          original.setHeader(name, value);
        };
    operation.headers(attempt.timeoutNanos(), header);
    if (!attempt.begin(attempted)) {
      return;
    }
    operation.lateHeaders(attempt).forEach(header);
    WireTrace made = new WireTrace(operation, request, attempt, body, proceed::cancelled);
    outcomes.begins(made);
    Answer answer;
    try {
      ClassicHttpResponse response = proceed.send(attempted, original, made);
      answer = answer(response, made);
    } catch (Throwable thrown) {
      made.fails(thrown);
      fail(attempt, thrown);
      return;
    }
    attempt.complete(answer, null);
  }

  /** The answer of the attempt before tells the caller more than a body that has changed. */
  private void fail(Attempt<Answer> attempt, Throwable thrown) {
    Answer answer = body.changed() == null ? null : earlierAnswer;
    Throwable failure = body.changed() == null ? null : outcomes.earlierFailure();
    attempt.complete(answer, answer != null ? null : failure != null ? failure : thrown);
  }

  private Answer answer(ClassicHttpResponse response, WireTrace made) throws IOException {
    made.handedBack(response.getCode());
    try {
      byte[] whole = bodies.read(response, operation.judgedBodyBytes(response.getCode()));
      return new Answer(response, made, whole, StreamStart.error(response, operation));
    } catch (IOException | RuntimeException broken) {
      made.drop();
      throw broken;
    }
  }

  @Override
  public Outcome outcome(Answer answer) {
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
  public Map<String, List<String>> headers(Answer answer) {
    return answer.headerMap();
  }

  @Override
  public void discard(Answer answer) {
    byte[] read = UnwantedResponse.drop(answer);
    if (body.isWatched()) {
      earlierAnswer = read == null ? null : answer.read(read);
      outcomes.forgetFailure();
    }
  }

  @Override
  public Answer deliver(Answer answer, @Nullable RetryReport report) {
    ClassicHttpResponse response = answer.response();
    WireTrace of = answer.wire();
    if (deadline != null && of != null) {
      deadline.bound(response, of);
    }
    OperationInfo info = operation.info();
    boolean told = report == null && info.idempotencyKey().isEmpty() && answer.status() < 400;
    return told
        ? answer
        : new Answer(new ReportedResponse(response, operation.report(report)), of, answer.whole());
  }

  @Override
  public Throwable timedOut(TimeUp limit) {
    return new SocketTimeoutException("timeout: " + limit);
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT, DEADLINE -> new SocketTimeoutException("timeout");
      case CANCELLED -> new RequestFailedException("Request aborted");
      case INTERRUPTED -> {
        Thread.currentThread().interrupt();
        yield new InterruptedIOException("interrupted");
      }
      case REJECTED -> new IOException("the scheduler accepts no retry", cause);
    };
  }

  // ---- what a journal keeps

  @Override
  public ResponseView head(Answer answer) {
    return answer;
  }

  @Override
  public byte @Nullable [] body(Answer answer) {
    byte[] whole = answer.whole();
    return whole != null && whole.length <= operation.keepsAnswerBytes() ? whole : null;
  }

  @Override
  public Journaling.EarlierRequest earlierRequest(Answer answer) {
    WireTrace of = answer.wire();
    return of == null ? Journaling.EarlierRequest.NONE : of.earlierRequest();
  }

  @Override
  public Answer restore(ResponseView head, byte[] bytes, RetryReport report) {
    ClassicHttpResponse kept = SavedAnswers.restore(head, bytes);
    return new Answer(new ReportedResponse(kept, report), null, bytes);
  }
}
