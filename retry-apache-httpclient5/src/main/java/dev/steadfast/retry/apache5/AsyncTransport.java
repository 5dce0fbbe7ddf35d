package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.engine.SentBody;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.jspecify.annotations.Nullable;

/** One operation on an asynchronous client. */
final class AsyncTransport extends Apache5Transport<AsyncAnswer> implements AsyncAttempt.Owner {
  private final HttpRequest request;
  private final AsyncCall call;

  AsyncTransport(Earlier.Now now, HttpRequest request, @Nullable SentBody body, AsyncCall call) {
    super(now, body);
    this.request = request;
    this.call = call;
  }

  /** A producer does not show whether its bytes are in memory. */
  static @Nullable SentBody watched(@Nullable AsyncEntityProducer producer) {
    return producer == null ? null : new SentBody(producer, producer::isRepeatable);
  }

  @Override
  public void start(Attempt<AsyncAnswer> attempt) {
    begins(null);
    HttpRequest attempted = RequestCopy.of(request);
    operation.headers(attempt.timeoutNanos(), attempted::setHeader);
    if (!attempt.queued() || !attempt.begin(attempted)) {
      return;
    }
    operation.lateHeaders(attempt).forEach(attempted::setHeader);
    WireTrace made = new WireTrace(this, attempted, attempt, call::cancelled);
    begins(made);
    call.send(attempted, attempt, made, this);
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
    followed(whole == null || body == null ? null : answer.read(whole));
  }

  @Override
  public void inform(HttpResponse information) throws HttpException, IOException {
    call.inform(information);
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
