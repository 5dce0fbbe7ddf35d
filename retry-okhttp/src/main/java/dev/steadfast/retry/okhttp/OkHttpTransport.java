package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.OperationJournal;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.internal.CleanReport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import okhttp3.Call;
import okhttp3.Headers;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * One operation on OkHttp: the same for execute, enqueue and interceptor, except for its sender.
 */
final class OkHttpTransport
    implements RetryTransport<Answer>, OperationJournal.AnswerCodec<Answer> {
  private static final Evidence NOT_BEGUN =
      Evidence.of(Evidence.Requests.of(Disposition.UNSENT, Evidence.Safety.UNPROCESSED), -1, 0);

  /** How one entry point makes an attempt. */
  interface Sender {
    /** Sends, and completes the attempt. */
    void send(Request request, Attempt<Answer> attempt, OkHttpTransport transport)
        throws IOException;

    /** Runs a callback where the client runs such. */
    default void callBack(Runnable callback) {
      callback.run();
    }

    /** The operation ended because its time was up. */
    default void deadlinePassed() {}

    /** Whether one attempt cannot be cancelled without the call. */
    default boolean boundsAttempts() {
      return false;
    }
  }

  private final HttpOperation operation;
  private final Request callers; // the request as the caller made it
  private final Request request; // the same, with a body that is watched, if that is worth it
  private final @Nullable BodyDeadline deadline;
  private final BufferedBodies bodies;
  private final Sender sender;

  private volatile @Nullable WireTrace wire; // of the current attempt

  OkHttpTransport(HttpOperation operation, Request request, Sender sender, BufferedBodies shared) {
    this.operation = operation;
    this.callers = request;
    this.request = watched(request);
    this.deadline = BodyDeadline.of(operation);
    this.bodies = shared.keeping(operation.keepsAnswerBytes());
    this.sender = sender;
  }

  private Request watched(Request request) {
    RequestBody body = request.body();
    return body == null || !WatchedBody.worthIt(body)
        ? request
        : request.newBuilder().method(request.method(), new WatchedBody(body, this)).build();
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
    // The tag connects a clean answer with its report.
    Request.Builder builder = request.newBuilder().tag(OperationInfo.class, operation.info());
    operation.headers(attempt.number(), attempt.timeoutNanos(), builder::header);
    return builder.build();
  }

  /** Called by the sender when it knows OkHttp's call of an attempt. */
  WireTrace wire(Attempt<Answer> attempt, Call call, AttemptRegistry registry) {
    WireTrace created = new WireTrace(operation, deadline, registry, attempt, call);
    wire = created;
    return created;
  }

  @Nullable WireTrace wire() {
    return wire;
  }

  /** Called by the sender with the response. */
  void answered(Response response, WireTrace of, Attempt<Answer> attempt) {
    if (!of.reached()) {
      UnwantedResponse.close(response, operation);
      Bypass.end(attempt, of, request, Bypass.answered());
      return;
    }
    of.handBack();
    Buffer whole;
    try {
      if (deadline != null) {
        deadline.bound(response);
      }
      whole = bodies.read(response);
      of.endInTime();
    } catch (Throwable broken) { // a body of an interceptor's making may throw anything
      UnwantedResponse.close(response, operation);
      attempt.complete(null, of.failure(broken));
      return;
    }
    attempt.complete(new Answer(response, of, whole), null);
  }

  /** Called by the sender with the failure. */
  void failed(Throwable thrown, WireTrace of, Attempt<Answer> attempt) {
    if (Bypass.is(thrown, of)) {
      Bypass.end(attempt, of, request, thrown);
      return;
    }
    of.leaveUsersCall(thrown);
    attempt.complete(null, thrown);
  }

  /** Whether the body is read within the attempt. */
  boolean buffers(Response response) {
    return bodies.holds(response);
  }

  @Override
  public OperationJournal.Answer save(Answer answer) {
    return SavedAnswers.save(answer, operation.keepsAnswerBytes());
  }

  @Override
  public OperationJournal.EarlierRequest earlierRequest(Answer answer) {
    return SavedAnswers.earlierRequest(answer.response());
  }

  @Override
  public Answer restore(OperationJournal.Answer answer, RetryReport report) {
    return new Answer(SavedAnswers.restore(answer, callers, report), null, null);
  }

  @Override
  public Outcome outcome(Answer answer) {
    Response response = answer.response();
    WireTrace of = answer.wire();
    Evidence evidence = of.evidence(response, bodySpent());
    if (response.networkResponse() == null && of.deliveries() == 0) {
      // From the cache, a synthetic 504 included; or made up by an interceptor.
      return new Outcome(Verdict.acceptedWithoutServer(), evidence);
    }
    return operation.outcome(answer, evidence);
  }

  @Override
  public Outcome outcome(Throwable failure) {
    WireTrace last = wire;
    if (last == null) {
      TransportFailure notTaken =
          TransportFailure.permanent(FailureKind.OTHER, StopReason.NOT_RETRYABLE);
      return operation.outcome(notTaken, NOT_BEGUN);
    }
    Evidence evidence = last.evidence(failure, bodySpent());
    TransportFailure classified = OkHttpFailures.classify(failure, last);
    if (classified != null) {
      return operation.outcome(classified, evidence);
    }
    Response head = Objects.requireNonNull(last.head());
    Outcome ofHead =
        operation.outcome(new Answer(head, last, null), last.evidenceOfHead(head, bodySpent()));
    return ofHead.verdict() instanceof Verdict.Accepted
        ? operation.outcome(OkHttpFailures.ofInterceptor(failure), evidence) // it is no success
        : ofHead;
  }

  @Override
  public Evidence evidence() {
    WireTrace last = wire;
    return last == null ? NOT_BEGUN : last.evidence(bodySpent());
  }

  private boolean bodySpent() {
    return request.body() instanceof WatchedBody body && body.spent();
  }

  @Override
  public Map<String, List<String>> headers(Answer answer) {
    return new OkHttpViews.HeaderMap(answer.response().headers());
  }

  @Override
  public void discard(Answer answer) {
    if (answer.response().body() == null) {
      return;
    }
    UnwantedResponse.readAndClose(
        answer.response(),
        operation,
        () -> {
          if (!sender.boundsAttempts()) {
            answer.drop(); // closing alone would read on
          }
        });
  }

  @Override
  public Answer deliver(Answer answer, @Nullable RetryReport report) {
    Response response = answer.response();
    Request attempted = response.request();
    Request own = sent(attempted, answer.wire()) ? callers : handedBack(attempted);
    Request asked = OkHttpReports.tagged(own, response, report(report, response));
    return asked.equals(attempted)
        ? answer
        : new Answer(response.newBuilder().request(asked).build(), answer.wire(), answer.whole());
  }

  /** What has to be told, null if the response itself tells it. */
  private @Nullable RetryReport report(@Nullable RetryReport report, Response response) {
    OperationInfo info = operation.info();
    boolean failed = response.code() >= 400; // and yet accepted, by rules of the user's
    boolean told =
        !failed && (!info.idempotencyKey().isPresent() || OkHttpReports.tells(response, info));
    return report == null && !told ? CleanReport.of(info) : report;
  }

  /** Whether the request of an answer is the very one that was handed to OkHttp. */
  private boolean sent(Request attempted, WireTrace by) {
    return attempted.equals(request)
        || (!sender.boundsAttempts() && attempted.equals(by.call().request()));
  }

  /**
   * The request of an answer without what was added to it, so that one made from it is an operation
   * of its own.
   */
  private Request handedBack(Request attempted) {
    boolean tagged = attempted.tag(AttemptTag.class) != null;
    if (!operation.changesHeaders() && !tagged) {
      return attempted;
    }
    Request.Builder own = attempted.newBuilder().tag(OperationInfo.class, null);
    if (tagged) {
      own.tag(AttemptTag.class, null);
    }
    Headers headers = attempted.headers();
    for (int i = 0; i < headers.size(); i++) {
      if (operation.adds(headers.name(i))) {
        own.removeHeader(headers.name(i));
      }
    }
    return own.build();
  }

  @Override
  public boolean boundsAttempts() {
    return sender.boundsAttempts();
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT -> new InterruptedIOException("timeout");
      case DEADLINE -> {
        sender.deadlinePassed();
        yield new InterruptedIOException("timeout");
      }
      case CANCELLED -> new IOException("Canceled");
      case INTERRUPTED -> {
        Thread.currentThread().interrupt(); // kept, as OkHttp does
        yield new InterruptedIOException("interrupted");
      }
      case REJECTED -> new IOException("the scheduler accepts no retry", cause);
    };
  }

  @Override
  public void callBack(Runnable callback) {
    sender.callBack(callback);
  }
}
