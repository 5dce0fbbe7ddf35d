package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import java.util.concurrent.CancellationException;
import org.apache.hc.core5.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** One operation on an asynchronous client. */
final class AsyncTransport extends Apache5Transport<AsyncAnswer> implements AsyncAttempt.Owner {
  private final HttpRequest request;
  private final AsyncCall call;

  AsyncTransport(HttpOperation operation, HttpRequest request, AsyncCall call, long spentNanos) {
    super(operation, new SentBody(call.producer()), spentNanos);
    this.request = request;
    this.call = call;
  }

  @Override
  public void start(Attempt<AsyncAnswer> attempt) {
    outcomes.begins(null);
    HttpRequest attempted = RequestCopy.of(request);
    operation.headers(attempt.timeoutNanos(), attempted::setHeader);
    if (!attempt.queued() || !attempt.begin(attempted)) {
      return;
    }
    operation.lateHeaders(attempt).forEach(attempted::setHeader);
    WireTrace made = new WireTrace(operation, attempted, attempt, body, call::cancelled);
    outcomes.begins(made);
    AsyncAttempt callback = new AsyncAttempt(attempt, made, this);
    try {
      call.send(attempted, attempt, callback);
    } catch (Throwable thrown) {
      callback.refused(thrown);
    }
  }

  @Override
  @Nullable TransportFailure classify(Throwable failure, WireTrace of) {
    return Apache5Failures.classifyAsync(failure, of);
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
    followed(whole == null || !body.isWatched() ? null : answer.read(whole));
  }

  @Override
  void bound(AsyncAnswer answer, BodyDeadline end) {
    answer.body().bound(end);
  }

  @Override
  Throwable cancelled() {
    return new CancellationException("Request execution cancelled");
  }

  @Override
  AsyncAnswer kept(ResponseView head, byte[] bytes) {
    return AsyncAnswer.kept(head, bytes);
  }
}
