package dev.steadfast.retry.scenarios;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.internal.CleanReport;
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
import java.util.concurrent.Executor;

/** A call by the book: one connection, one delivery per attempt, nothing hidden. */
final class ReferenceCall
    implements RetryTransport<ReferenceCall.Answer>,
        Journaling.Codec<ReferenceCall.Answer>,
        RequestView {
  private static final int DISCARDED = 64 * 1024;
  private static final int DISCARD_MILLIS = 100;

  private final URI uri;
  private final HttpCall call;
  private final PlainPool pool;
  private final Executor executor; // null: on the calling thread
  private final HttpOperation operation;
  private final int buffered;

  private volatile Disposition last = Disposition.UNSENT; // what became of the latest request
  private volatile int status = -1; // of its answer
  private boolean bodySent;

  /** The request of one attempt, as listeners see it. */
  record Sent(List<Map.Entry<String, String>> headers) {}

  /** A response with its connection; the body may have been read already. */
  record Answer(
      String answeredBy,
      PlainConnection.Head head,
      PlainConnection connection,
      String body,
      RetryReport report)
      implements ResponseView {
    @Override
    public int status() {
      return head.status();
    }

    @Override
    public List<String> headers(String name) {
      return head.values(name);
    }

    @Override
    public Map<String, List<String>> headerMap() {
      return head.headers();
    }

    @Override
    public Optional<String> origin() {
      return Optional.of(answeredBy);
    }
  }

  ReferenceCall(HttpRetry retry, URI uri, HttpCall call, Wires wires) {
    this.uri = uri;
    this.call = call;
    this.pool = wires.pool();
    this.executor = wires.executor();
    this.operation = retry.operation(this, call.options());
    this.buffered = Math.max(retry.bufferBodiesUpTo(), operation.keepsAnswerBytes());
  }

  /** What a call runs on; the executor is null for the calling thread. */
  record Wires(PlainPool pool, Executor executor) {}

  HttpOperation operation() {
    return operation;
  }

  // ---- the request

  @Override
  public String method() {
    return call.method();
  }

  @Override
  public URI uri() {
    return uri;
  }

  @Override
  public List<String> headers(String name) {
    return Received.values(call.headers(), name);
  }

  @Override
  public Optional<byte[]> body(int limit) {
    return Optional.of(call.body().text().getBytes(StandardCharsets.UTF_8));
  }

  // ---- an attempt

  @Override
  public void start(Attempt<Answer> attempt) {
    if (executor == null) {
      carryOut(attempt);
    } else {
      executor.execute(() -> carryOut(attempt));
    }
  }

  private void carryOut(Attempt<Answer> attempt) {
    last = Disposition.UNSENT;
    status = -1;
    List<Map.Entry<String, String>> headers = new ArrayList<>(call.headers());
    operation.headers(attempt.timeoutNanos(), (name, value) -> headers.add(Map.entry(name, value)));
    if (!attempt.begin(new Sent(List.copyOf(headers)))) {
      return;
    }
    try {
      operation.lateHeaders(attempt).forEach((name, value) -> headers.add(Map.entry(name, value)));
      attempt.complete(exchange(attempt, headers), null);
    } catch (IOException failed) {
      attempt.complete(null, failed);
    }
  }

  private Answer exchange(Attempt<Answer> attempt, List<Map.Entry<String, String>> headers)
      throws IOException {
    PlainPool.Leased leased = pool.lease(uri);
    PlainConnection connection = leased.connection();
    attempt.onCancel(connection::close);
    PlainConnection.Head head;
    try {
      last = Disposition.UNKNOWN;
      bodySent = true;
      boolean chunked = chunked();
      connection.send(head(headers, chunked), bytes(), chunked);
      head = connection.readHead();
    } catch (IOException failed) {
      connection.close();
      boolean safe = operation.safety() != Evidence.Safety.UNSAFE;
      boolean stale = leased.reused() && !connection.sawByte() && safe;
      throw stale ? new StaleException(failed) : failed;
    }
    return buffered == 0 || isTooLong(head)
        ? new Answer(origin(), head, connection, null, CleanReport.of(null))
        : new Answer(origin(), head, connection, buffer(head, connection), CleanReport.of(null));
  }

  private boolean isTooLong(PlainConnection.Head head) {
    return head.values("Content-Length").stream().anyMatch(each -> Long.parseLong(each) > buffered);
  }

  private String buffer(PlainConnection.Head head, PlainConnection connection) throws IOException {
    try {
      return read(head, connection, buffered);
    } catch (IOException broken) {
      last = Disposition.ANSWERED;
      connection.close();
      throw new BrokenBodyException(broken);
    }
  }

  private String read(PlainConnection.Head head, PlainConnection connection, int limit)
      throws IOException {
    byte[] body = connection.readBody(head, call.method().equals("HEAD"), limit);
    if (body == null) {
      return null;
    }
    if (head.values("Connection").contains("close")) {
      connection.close();
    } else {
      pool.giveBack(connection);
    }
    return new String(body, StandardCharsets.UTF_8);
  }

  private boolean chunked() {
    return switch (call.body().form()) {
      case ABSENT, REPEATABLE -> false;
      default -> true;
    };
  }

  private byte[] bytes() {
    return call.body().text().getBytes(StandardCharsets.UTF_8);
  }

  private String head(List<Map.Entry<String, String>> headers, boolean chunked) {
    StringBuilder head = new StringBuilder();
    head.append(call.method()).append(' ').append(call.path()).append(" HTTP/1.1\r\n");
    head.append("Host: ").append(uri.getAuthority()).append("\r\n");
    headers.forEach(
        line -> head.append(line.getKey()).append(": ").append(line.getValue()).append("\r\n"));
    if (chunked) {
      head.append("Transfer-Encoding: chunked\r\n");
    } else if (call.body().form() != HttpCall.Form.ABSENT) {
      head.append("Content-Length: ").append(bytes().length).append("\r\n");
    }
    return head.append("\r\n").toString();
  }

  // ---- what it means

  /** A pooled connection ended without a byte of an answer. */
  static final class StaleException extends IOException {
    private static final long serialVersionUID = 1;

    StaleException(IOException cause) {
      super(cause);
    }
  }

  /** The body broke while it was being buffered. */
  static final class BrokenBodyException extends IOException {
    private static final long serialVersionUID = 1;

    BrokenBodyException(IOException cause) {
      super(cause);
    }
  }

  @Override
  public dev.steadfast.retry.engine.Outcome outcome(Answer answer) {
    last = AnswerProof.of(answer.status()).disposition();
    status = answer.status();
    return operation.outcome(answer, evidence());
  }

  @Override
  public dev.steadfast.retry.engine.Outcome outcome(Throwable failure) {
    FailureKind kind = kind(failure);
    TransportFailure seen =
        failure instanceof ProtocolException
            ? TransportFailure.permanent(kind, StopReason.NOT_RETRYABLE)
            : TransportFailure.of(kind);
    return operation.outcome(seen, evidence());
  }

  @Override
  public Evidence evidence() {
    boolean spent = bodySent && call.body().form() == HttpCall.Form.ONE_SHOT;
    int deliveries = last == Disposition.UNSENT ? 0 : 1;
    Evidence.Requests requests = Evidence.Requests.of(last, operation.safety());
    return new Evidence(requests, status, deliveries, false, spent);
  }

  private static FailureKind kind(Throwable failure) {
    if (failure instanceof ConnectException) {
      return FailureKind.CONNECT;
    }
    if (failure instanceof InterruptedIOException) {
      return FailureKind.TIMEOUT;
    }
    if (failure instanceof StaleException) {
      return FailureKind.STALE_CONNECTION;
    }
    return failure instanceof BrokenBodyException
        ? FailureKind.BROKEN_BODY
        : FailureKind.CONNECTION_LOST;
  }

  @Override
  public Map<String, List<String>> headers(Answer answer) {
    return answer.headerMap();
  }

  @Override
  public void discard(Answer answer) {
    if (answer.body() != null) {
      return;
    }
    try {
      answer.connection().patience(DISCARD_MILLIS);
      if (read(answer.head(), answer.connection(), DISCARDED) == null) {
        answer.connection().close();
      } else {
        answer.connection().patience(0);
      }
    } catch (IOException unread) {
      answer.connection().close();
    }
  }

  @Override
  public Answer deliver(Answer answer, RetryReport report) {
    RetryReport told = report == null ? CleanReport.of(operation.info()) : report;
    return new Answer(answer.answeredBy(), answer.head(), answer.connection(), answer.body(), told);
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
    String text = new String(body, StandardCharsets.UTF_8);
    return new Answer(origin(), head, null, text, report);
  }

  /** Reads what the caller gets. */
  Outcome finish(Answer answer) {
    try {
      String text =
          answer.body() != null
              ? answer.body()
              : read(answer.head(), answer.connection(), Integer.MAX_VALUE);
      return new Outcome.Answer(answer.status(), text, answer.headerMap(), answer.report());
    } catch (IOException broken) {
      answer.connection().close();
      return new Outcome.Failure(Outcome.Category.BROKEN_READING, broken);
    }
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
  public void callBack(Runnable continuation) {
    if (executor == null) {
      continuation.run();
    } else {
      executor.execute(continuation);
    }
  }
}
