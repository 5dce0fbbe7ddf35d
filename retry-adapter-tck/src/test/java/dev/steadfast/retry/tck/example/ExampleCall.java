package dev.steadfast.retry.tck.example;

import static java.util.stream.Collectors.toSet;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/** The adapter of the example: one call, with one request on one connection per attempt. */
final class ExampleCall
    implements RetryTransport<ExampleCall.Answer>,
        Journaling.Codec<ExampleCall.Answer>,
        RequestView {
  private final PlainConnection.Request request;
  private final Wires wires;
  private final HttpOperation operation;
  private final int buffered;

  private volatile Disposition last = Disposition.UNSENT; // what became of the latest request
  private volatile int status = -1; // of its answer
  private boolean bodySent;

  /** What a call runs on; the executor is null for the thread of the caller. */
  record Wires(PlainClient client, Executor executor) {}

  /** An answer; the body is null if it has not been read. */
  record Answer(String server, PlainClient.Response response, String body, RetryReport report)
      implements ResponseView {
    @Override
    public int status() {
      return response.head().status();
    }

    @Override
    public List<String> headers(String name) {
      return response.head().values(name);
    }

    @Override
    public Map<String, List<String>> headerMap() {
      return response.head().headers();
    }

    @Override
    public Optional<String> origin() {
      return Optional.of(server);
    }
  }

  ExampleCall(PlainConnection.Request request, Wires wires, HttpRetry retry, RetryOptions options) {
    this.request = request;
    this.wires = wires;
    this.operation = retry.operation(this, options);
    this.buffered = Math.max(retry.bufferBodiesUpTo(), operation.keepsAnswerBytes());
  }

  RetryLoop<Answer> loop() {
    return operation.loop(operation.plan(), this, this);
  }

  long boundNanos() {
    return operation.boundNanos();
  }

  @Override
  public String method() {
    return request.method();
  }

  @Override
  public URI uri() {
    return request.uri();
  }

  @Override
  public List<String> headers(String name) {
    return request.values(name);
  }

  @Override
  public Optional<Set<String>> headerNames() {
    return Optional.of(request.headers().stream().map(Map.Entry::getKey).collect(toSet()));
  }

  @Override
  public Optional<byte[]> body(int limit) {
    return Optional.of(request.bytes());
  }

  @Override
  public void start(Attempt<Answer> attempt) {
    callBack(() -> carryOut(attempt));
  }

  private void carryOut(Attempt<Answer> attempt) {
    last = Disposition.UNSENT;
    status = -1;
    List<Map.Entry<String, String>> headers = new ArrayList<>(request.headers());
    operation.headers(attempt.timeoutNanos(), (name, value) -> headers.add(Map.entry(name, value)));
    if (!attempt.begin(request.with(List.copyOf(headers)))) {
      return; // cancelled meanwhile: nothing may be sent
    }
    operation.lateHeaders(attempt).forEach((name, value) -> headers.add(Map.entry(name, value)));
    try {
      attempt.complete(exchange(attempt, request.with(headers)), null);
    } catch (IOException failed) {
      attempt.complete(null, failed);
    }
  }

  private Answer exchange(Attempt<Answer> attempt, PlainConnection.Request sent)
      throws IOException {
    PlainClient.Response response =
        wires.client.send(
            sent,
            connection -> {
              attempt.onCancel(connection::close);
              last = Disposition.UNKNOWN;
              bodySent = true;
            });
    return new Answer(origin(), response, buffer(response), null);
  }

  private String buffer(PlainClient.Response response) throws IOException {
    boolean tooLong =
        response.head().values("Content-Length").stream()
            .anyMatch(length -> Long.parseLong(length) > buffered);
    if (buffered == 0 || tooLong) {
      return null;
    }
    try {
      return response.read(buffered);
    } catch (IOException broken) {
      last = Disposition.ANSWERED;
      throw new BrokenBodyException(broken);
    }
  }

  /** The body broke while the adapter read it. */
  static final class BrokenBodyException extends IOException {
    private static final long serialVersionUID = 1;

    BrokenBodyException(IOException cause) {
      super(cause);
    }
  }

  @Override
  public Outcome outcome(Answer answer) {
    last = AnswerProof.of(answer.status()).disposition();
    status = answer.status();
    return operation.outcome(answer, evidence());
  }

  @Override
  public Outcome outcome(Throwable failure) {
    FailureKind kind = kind(failure);
    TransportFailure seen =
        failure instanceof ProtocolException
            ? TransportFailure.permanent(kind, StopReason.NOT_RETRYABLE)
            : TransportFailure.of(kind);
    return operation.outcome(seen, evidence());
  }

  @Override
  public Evidence evidence() {
    boolean spent = bodySent && request.oneShot();
    int deliveries = last == Disposition.UNSENT ? 0 : 1;
    return Evidence.of(last, operation.safety(), status, deliveries).withBodySpent(spent);
  }

  private FailureKind kind(Throwable failure) {
    if (failure instanceof ConnectException) {
      return FailureKind.CONNECT;
    }
    if (failure instanceof InterruptedIOException) {
      return FailureKind.TIMEOUT;
    }
    if (failure instanceof BrokenBodyException) {
      return FailureKind.BROKEN_BODY;
    }
    return failure instanceof PlainClient.ClosedWhileIdleException
        ? FailureKind.STALE_CONNECTION
        : FailureKind.CONNECTION_LOST;
  }

  @Override
  public void discard(Answer answer) {
    if (answer.body() == null) {
      answer.response().drop();
    }
  }

  @Override
  public Answer deliver(Answer answer, RetryReport report) {
    return new Answer(answer.server(), answer.response(), answer.body(), operation.report(report));
  }

  @Override
  public Throwable failure(End end, Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT -> new SocketTimeoutException("timeout");
      case DEADLINE -> new InterruptedIOException("timeout");
      case CANCELLED -> new IOException("Canceled");
      case INTERRUPTED -> {
        Thread.currentThread().interrupt();
        yield new InterruptedIOException("interrupted");
      }
      case REJECTED -> new IOException("rejected", cause);
    };
  }

  @Override
  public void callBack(Runnable callback) {
    if (wires.executor == null) {
      callback.run();
    } else {
      wires.executor.execute(callback);
    }
  }

  @Override
  public ResponseView head(Answer answer) {
    return answer;
  }

  @Override
  public byte[] body(Answer answer) {
    return answer.body() == null ? null : answer.body().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Journaling.EarlierRequest earlierRequest(Answer answer) {
    return Journaling.EarlierRequest.NONE; // redirects are not followed
  }

  @Override
  public Answer restore(ResponseView kept, byte[] body, RetryReport report) {
    PlainConnection.Head head = new PlainConnection.Head(kept.status(), kept.headerMap());
    PlainClient.Response response = new PlainClient.Response(head, null, null, true);
    return new Answer(origin(), response, new String(body, StandardCharsets.UTF_8), report);
  }
}
