package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.engine.UnwantedBody;
import dev.steadfast.retry.http.BodyStart;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One operation on the classic client. */
final class ClassicTransport extends Apache5Transport<Apache5Answer<ClassicHttpResponse>> {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final ClassicHttpRequest callers;
  private final ExecChain.Scope scope;
  private final ExecChain chain;

  ClassicTransport(
      HttpRetry retry, ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain) {
    super(
        retry,
        new Apache5Views.OfRequest(request, request.getEntity()),
        scope.clientContext,
        scope.execRuntime);
    this.callers = request;
    this.scope = scope;
    this.chain = chain;
  }

  ClassicHttpResponse run() throws Throwable {
    CancellableDependency callers =
        scope.originalRequest instanceof CancellableDependency dependency ? dependency : null;
    return loop(callers).run(boundNanos()).response();
  }

  @Override
  public void start(Attempt<Apache5Answer<ClassicHttpResponse>> attempt) {
    ClassicHttpRequest attempted = Apache5Views.copy(callers);
    ClassicHttpRequest first = scope.originalRequest;
    ClassicHttpRequest original = operation.changesHeaders() ? Apache5Views.copy(first) : first;
    WireTrace wire = begins(attempt, attempted, original);
    if (wire == null) {
      return;
    }
    Apache5Answer<ClassicHttpResponse> answer;
    try {
      answer = answer(send(attempted, original, wire), wire);
    } catch (Throwable thrown) {
      wire.fails(thrown);
      failed(attempt, thrown);
      return;
    }
    attempt.complete(answer, null);
  }

  /** Each attempt has its own runtime, so it also has its own connection. */
  private ClassicHttpResponse send(
      ClassicHttpRequest attempted, ClassicHttpRequest original, WireTrace wire)
      throws IOException, HttpException {
    TracingRuntime runtime = new TracingRuntime(scope.execRuntime.fork(wire), wire, false);
    wire.closing(runtime::discardEndpoint);
    ExecChain.Scope own =
        new ExecChain.Scope(scope.exchangeId, scope.route, original, runtime, scope.clientContext);
    Runnable unmark = operation.markAttempt();
    try {
      return chain.proceed(attempted, own);
    } catch (IOException | HttpException | RuntimeException | Error thrown) {
      runtime.discardEndpoint();
      throw thrown;
    } finally {
      unmark.run();
    }
  }

  private Apache5Answer<ClassicHttpResponse> answer(ClassicHttpResponse response, WireTrace wire)
      throws IOException {
    wire.handedBack(response.getCode());
    Apache5Answer<ClassicHttpResponse> answer = new Apache5Answer<>(response, wire);
    HttpEntity entity = response.getEntity();
    if (entity == null && operation.keepsAnswerBytes() > 0) {
      answer.whole(new byte[0]);
    }
    if (entity != null && entity.isStreaming()) {
      readStart(answer, entity, wire);
    }
    return answer;
  }

  private void readStart(
      Apache5Answer<ClassicHttpResponse> answer, HttpEntity entity, WireTrace wire)
      throws IOException {
    BodyStart start = bodyStart(answer, entity);
    if (start == null) {
      return;
    }
    try {
      InputStream content = entity.getContent();
      byte[] bytes = start.read(content);
      answer.begins(start.errorEvent());
      answer.response().setEntity(new ReadEntity(entity, bytes, start.isWhole() ? null : content));
      if (start.isWhole()) {
        answer.whole(bytes);
      }
    } catch (IOException | RuntimeException broken) {
      wire.drop();
      throw broken;
    }
  }

  @Override
  @Nullable TransportFailure classify(Throwable failure, WireTrace of) {
    return Apache5Failures.classify(failure, of);
  }

  @Override
  public void discard(Apache5Answer<ClassicHttpResponse> answer) {
    WireTrace wire = answer.wire();
    if (wire != null && answer.whole() == null) {
      readUnwanted(answer, wire);
    }
    unwanted(answer);
  }

  private void readUnwanted(Apache5Answer<ClassicHttpResponse> answer, WireTrace wire) {
    ClassicHttpResponse response = answer.response();
    HttpEntity entity = response.getEntity();
    if (entity == null) {
      answer.whole(new byte[0]);
      return;
    }
    try {
      byte[] read = UnwantedBody.read(entity.getContent(), entity.getContentLength(), wire::drop);
      if (read != null) {
        response.close();
        response.setEntity(new ReadEntity(entity, read, null));
        answer.whole(read);
      }
    } catch (IOException | RuntimeException broken) { // a handler may have made the body
      LOG.debug("{}: the body of an unwanted response is not read", operation, broken);
      wire.drop();
    }
  }

  @Override
  void bound(Apache5Answer<ClassicHttpResponse> answer, BodyDeadline end) {
    WireTrace wire = answer.wire();
    HttpEntity entity = answer.response().getEntity();
    if (wire != null && entity != null && entity.isStreaming()) {
      answer.response().setEntity(new BoundedEntity(entity, wire, end));
    }
  }

  @Override
  Throwable cancelled() {
    return new RequestFailedException("Request aborted");
  }

  @Override
  Apache5Answer<ClassicHttpResponse> kept(ResponseView head, byte[] bytes) {
    ClassicHttpResponse response =
        Apache5Answer.saved(new BasicClassicHttpResponse(head.status()), head);
    response.setEntity(new ByteArrayEntity(bytes, Apache5Answer.type(head)));
    Apache5Answer<ClassicHttpResponse> answer = new Apache5Answer<>(response, null);
    answer.whole(bytes);
    return answer;
  }
}
