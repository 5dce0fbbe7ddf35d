package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.engine.SentBody;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.util.function.BiConsumer;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.jspecify.annotations.Nullable;

/** One operation on the classic client. */
final class ClassicTransport extends Apache5Transport<Answer> {
  private final ClassicHttpRequest request;
  private final RetryExec.Proceed proceed;

  ClassicTransport(
      Earlier.Now now,
      ClassicHttpRequest request,
      @Nullable SentBody body,
      RetryExec.Proceed proceed) {
    super(now, body);
    this.request = request;
    this.proceed = proceed;
  }

  /** The body of a request, null if it has none that must be watched. */
  static @Nullable SentBody watched(@Nullable HttpEntity entity) {
    boolean inMemory = entity instanceof ByteArrayEntity || entity instanceof StringEntity;
    return entity == null || inMemory ? null : new SentBody(entity, entity::isRepeatable);
  }

  @Override
  public void start(Attempt<Answer> attempt) {
    begins(null);
    ClassicHttpRequest attempted = RequestCopy.of(request);
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
    WireTrace made = new WireTrace(this, request, attempt, proceed::cancelled);
    begins(made);
    Answer answer;
    try {
      answer = answer(proceed.send(attempted, original, made), made);
    } catch (Throwable thrown) {
      made.fails(thrown);
      failed(attempt, thrown);
      return;
    }
    attempt.complete(answer, null);
  }

  private Answer answer(ClassicHttpResponse response, WireTrace made) throws IOException {
    made.handedBack(response.getCode());
    try {
      return BodyStart.read(response, made);
    } catch (IOException | RuntimeException broken) {
      made.drop();
      throw broken;
    }
  }

  @Override
  @Nullable TransportFailure classify(Throwable failure, WireTrace of) {
    return Apache5Failures.classify(failure, of);
  }

  @Override
  public void discard(Answer answer) {
    byte[] read = UnwantedResponse.drop(answer);
    followed(read == null || body == null ? null : answer.read(read));
  }

  @Override
  void bound(Answer answer, BodyDeadline end) {
    WireTrace of = answer.wire();
    HttpEntity entity = answer.response().getEntity();
    if (of != null && entity != null && entity.isStreaming()) {
      answer.response().setEntity(new BoundedEntity(entity, of, end));
    }
  }

  @Override
  Throwable cancelled() {
    return new RequestFailedException("Request aborted");
  }

  @Override
  Throwable interrupted() {
    Thread.currentThread().interrupt();
    return super.interrupted();
  }

  @Override
  Answer kept(ResponseView head, byte[] bytes) {
    return Answer.kept(head, bytes);
  }
}
