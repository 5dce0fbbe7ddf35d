package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Attempt;
import dev.steadfast.retry.Exchange;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.SendState;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/** One operation on OkHttp: the same for execute, enqueue and interceptor but for its sender. */
final class OkHttpExchange implements Exchange<Answer> {
  // What is read of a response that nobody gets, to keep its connection.
  private static final long DISCARD_BYTES = 64 * 1024;
  private static final long DISCARD_MILLIS = 100;

  /** How one entry point makes an attempt. */
  interface Sender {
    /** Sends, and completes the attempt. */
    void send(Request request, Attempt<Answer> attempt, OkHttpExchange exchange) throws IOException;

    /** Runs what follows a cancellation. */
    default void callBack(Runnable continuation) {
      continuation.run();
    }

    /** Whether one attempt cannot be cancelled without the call. */
    default boolean boundsAttempts() {
      return false;
    }
  }

  private final HttpOperation operation;
  private final Request request;
  private final @Nullable OneShotBody oneShot;
  private final int bufferBodiesUpTo;
  private final Sender sender;

  private volatile @Nullable WireState wire; // of the current attempt

  OkHttpExchange(HttpOperation operation, Request request, Sender sender, int bufferBodiesUpTo) {
    this.operation = operation;
    RequestBody body = request.body();
    this.oneShot = body != null && body.isOneShot() ? new OneShotBody(body) : null;
    this.request =
        oneShot == null ? request : request.newBuilder().method(request.method(), oneShot).build();
    this.bufferBodiesUpTo = bufferBodiesUpTo;
    this.sender = sender;
  }

  @Override
  public void start(Attempt<Answer> attempt) throws IOException {
    wire = null;
    sender.send(requestOf(attempt), attempt, this);
  }

  private Request requestOf(Attempt<Answer> attempt) {
    if (!operation.changesHeaders()) {
      return request;
    }
    Request.Builder builder = request.newBuilder();
    operation.headers(attempt.number(), attempt.timeoutNanos(), builder::header);
    return builder.build();
  }

  /** Called by the sender when it knows OkHttp's call of an attempt. */
  WireState wire(Attempt<Answer> attempt, okhttp3.Call call) {
    WireState created = new WireState(operation, request.url(), attempt, call);
    wire = created;
    return created;
  }

  /** Called by the sender with the response. */
  void answered(Response response, WireState of) {
    of.handBack();
    try {
      buffer(response);
    } catch (IOException | RuntimeException broken) {
      response.close();
      of.attempt().complete(null, broken);
      return;
    }
    of.attempt().complete(new Answer(response, of), null);
  }

  // The source keeps what it read, so nothing is copied: a short body is whole before it is judged.
  private void buffer(Response response) throws IOException {
    if (buffers(response)) {
      response.body().source().request(bufferBodiesUpTo + 1L);
    }
  }

  /**
   * Whether the body is read within the attempt. Of a failure the head says all: a body that breaks
   * must not hide a status that is final, nor what the server asks for.
   */
  boolean buffers(Response response) {
    return bufferBodiesUpTo > 0
        && response.code() < 400
        && response.body().contentLength() <= bufferBodiesUpTo;
  }

  @Override
  public Verdict judge(Answer answer) {
    Response response = answer.response();
    if (response.networkResponse() == null && answer.wire().deliveries() == 0) {
      return Verdict.acceptedWithoutServer(); // from the cache, a synthetic 504 included
    }
    return withBody(answer.wire().weigh(operation.judge(new OkHttpViews.OfResponse(response))));
  }

  @Override
  public Verdict judge(Throwable failure) {
    Verdict verdict = operation.judge(classify(failure));
    WireState last = wire;
    return withBody(last == null ? verdict : last.weigh(verdict));
  }

  private TransportFailure classify(Throwable failure) {
    WireState last = wire;
    if (last == null) {
      return TransportFailure.permanent(
          FailureKind.OTHER, SendState.NEVER_SENT, StopReason.NOT_RETRYABLE);
    }
    last.seal();
    return OkHttpFailures.classify(failure, last);
  }

  private Verdict withBody(Verdict verdict) {
    return oneShot != null && oneShot.consumed() ? HttpOperation.withoutBody(verdict) : verdict;
  }

  @Override
  public Facts facts(@Nullable Answer answer, @Nullable Throwable failure) {
    if (answer != null) {
      WireState of = answer.wire();
      return of.weigh(
          operation.facts(new OkHttpViews.OfResponse(answer.response()), of.deliveries()));
    }
    TransportFailure end = classify(failure == null ? new IOException("no answer") : failure);
    WireState last = wire;
    return HttpOperation.facts(end, last == null ? 0 : last.deliveries());
  }

  @Override
  public Map<String, List<String>> headers(Answer answer) {
    return answer.response().headers().toMultimap();
  }

  @Override
  public void discard(Answer answer) {
    ResponseBody body = answer.response().body();
    if (body == null) {
      return;
    }
    try (body) {
      if (!endsSoon(body.source()) && !sender.boundsAttempts()) {
        answer.wire().drop(); // closing alone would read on
      }
    } catch (RuntimeException ignored) {
      // a body of an interceptor's making; nobody waits for it
    }
  }

  private static boolean endsSoon(BufferedSource source) {
    source.timeout().deadline(DISCARD_MILLIS, TimeUnit.MILLISECONDS);
    try {
      return !source.request(DISCARD_BYTES + 1);
    } catch (IOException endless) {
      return false;
    }
  }

  @Override
  public Answer deliver(Answer answer, RetryReport report) {
    if (report.equals(RetryReport.clean())) {
      return answer;
    }
    Response response = answer.response();
    Request tagged = response.request().newBuilder().tag(RetryReport.class, report).build();
    return new Answer(response.newBuilder().request(tagged).build(), answer.wire());
  }

  @Override
  public boolean boundsAttempts() {
    return sender.boundsAttempts();
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT, DEADLINE -> new InterruptedIOException("timeout");
      case CANCELLED -> new IOException("Canceled");
      case INTERRUPTED -> {
        Thread.currentThread().interrupt(); // kept, as OkHttp does
        yield new InterruptedIOException("interrupted");
      }
      case REJECTED -> new IOException("the scheduler accepts no retry", cause);
    };
  }

  @Override
  public void execute(Runnable continuation) {
    sender.callBack(continuation);
  }
}
