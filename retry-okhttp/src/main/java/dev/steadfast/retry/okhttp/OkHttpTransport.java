package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.internal.CleanReport;
import dev.steadfast.retry.paths.WirePath;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * One operation on OkHttp: the same for execute, enqueue and interceptor, except for its sender.
 */
final class OkHttpTransport
    implements RetryTransport<OkHttpAnswer>, Journaling.Codec<OkHttpAnswer>, WireTrace.Owner {
  /** How one entry point makes an attempt. */
  interface AttemptSender {
    /** Sends, and completes the attempt. */
    void send(Request request, Attempt<OkHttpAnswer> attempt, OkHttpTransport transport)
        throws IOException;

    /** Runs a callback where the client runs such. */
    default void callBack(Runnable callback) {
      callback.run();
    }

    /** The operation waits: frees what is kept of the last attempt. */
    default void waits() {}

    /** The operation ended because its time was up. */
    default void deadlinePassed(TimeUp limit, OkHttpTransport transport) {}

    /** Whether one attempt cannot be cancelled without the call. */
    default boolean boundsAttempts() {
      return false;
    }

    /** The meaning of the failure of an attempt, which may say something of its connection. */
    TransportFailure failed(WireTrace wire, TransportFailure failure, OkHttpTransport transport);

    /** How long ago the first operation of the call began. */
    default long spentNanos() {
      return 0;
    }
  }

  private final HttpOperation operation;
  private final Request request; // as the caller made it, without an earlier report
  private final @Nullable CallersBody callersBody;
  private final @Nullable BodyDeadline deadline;
  private final AttemptSender sender;

  private volatile @Nullable WireTrace wire; // of the current attempt
  private volatile boolean begun; // an attempt, by this transport
  private volatile boolean lostFollowUp;
  volatile @Nullable WirePath lost; // where the attempt before was silent
  private volatile @Nullable PreviousEnd earlier; // of the attempt before, if the body is watched

  OkHttpTransport(HttpOperation operation, Request request, AttemptSender sender) {
    this.operation = operation;
    this.request = OkHttpReports.untagged(request);
    this.callersBody = CallersRequest.watched(operation);
    this.deadline = CallTimeouts.bodyDeadline(operation, sender.spentNanos());
    this.sender = sender;
  }

  @Override
  public HttpOperation operation() {
    return operation;
  }

  @Override
  public Request request() {
    return request;
  }

  /** The body of the request, null if it needs no watching. */
  @Override
  public @Nullable CallersBody callersBody() {
    return callersBody;
  }

  /** A follow-up was lost on a connection that was in use; it was sent again. */
  @Override
  public void followUpLost() {
    lostFollowUp = true;
  }

  @Override
  public boolean hasLostFollowUp() {
    return lostFollowUp;
  }

  @Override
  public void start(Attempt<OkHttpAnswer> attempt) throws IOException {
    wire = null;
    sender.send(requestOf(attempt), attempt, this);
  }

  private Request requestOf(Attempt<OkHttpAnswer> attempt) {
    if (!operation.changesHeaders()) {
      return request;
    }
    // The tag connects a clean answer with its report.
    Request.Builder builder = request.newBuilder().tag(OperationInfo.class, operation.info());
    operation.headers(attempt.timeoutNanos(), builder::header);
    return builder.build();
  }

  /** Called by the sender when it knows OkHttp's call of an attempt. */
  WireTrace wire(Attempt<OkHttpAnswer> attempt, Call call, LiveCalls registry) {
    WireTrace created = new WireTrace(this, registry, attempt, call, begun);
    begun = true;
    wire = created;
    return created;
  }

  /** Called by the sender with the response. */
  void answered(Response response, WireTrace of, Attempt<OkHttpAnswer> attempt) {
    if (!of.reached()) {
      UnwantedResponse.close(response, operation);
      BypassedClient.end(attempt, of, request, BypassedClient.answered());
      return;
    }
    of.handBack();
    OkHttpAnswer answer;
    try {
      CallTimeouts.bound(response, deadline);
      answer = AttemptBodies.begun(new OkHttpAnswer(response, of, null), operation);
      of.endInTime();
    } catch (Throwable broken) { // a body of an interceptor's making may throw anything
      UnwantedResponse.close(response, operation);
      attempt.complete(null, of.failure(broken));
      return;
    }
    attempt.complete(answer, null);
  }

  /** Called by the sender with the failure. */
  void failed(Throwable thrown, WireTrace of, Attempt<OkHttpAnswer> attempt) {
    if (BypassedClient.is(thrown, of)) {
      BypassedClient.end(attempt, of, request, thrown);
      return;
    }
    of.leaveUsersCall(thrown);
    if (!endedAsBefore(of, attempt)) {
      attempt.complete(null, thrown);
    }
  }

  /**
   * Ends an attempt whose body has changed as the attempt before it ended: the server's answer
   * tells the caller more.
   */
  boolean endedAsBefore(WireTrace of, Attempt<OkHttpAnswer> attempt) {
    PreviousEnd before = earlier;
    if (before == null || bodyChanged() == null) {
      return false;
    }
    before.end(of, attempt);
    return true;
  }

  private @Nullable Throwable bodyChanged() {
    return callersBody == null ? null : callersBody.sent().changed();
  }

  @Override
  public ResponseView head(OkHttpAnswer answer) {
    return answer;
  }

  @Override
  public byte @Nullable [] body(OkHttpAnswer answer) {
    return SavedAnswers.body(answer, operation.keepsAnswerBytes());
  }

  @Override
  public Journaling.EarlierRequest earlierRequest(OkHttpAnswer answer) {
    return SavedAnswers.earlierRequest(answer.response());
  }

  @Override
  public OkHttpAnswer restore(ResponseView head, byte[] body, RetryReport report) {
    return new OkHttpAnswer(SavedAnswers.restore(head, body, request, report), null, null);
  }

  @Override
  public Outcome outcome(OkHttpAnswer answer) {
    Response response = answer.response();
    WireTrace of = answer.wire();
    Throwable changed = bodyChanged();
    if (changed != null) {
      return changedBody(changed, of);
    }
    Evidence evidence = of.evidence(response, bodySpent());
    if (response.networkResponse() == null && of.log.deliveries() == 0) {
      // The answer is from the cache, a synthetic 504 included; or made up by an interceptor.
      return new Outcome(Verdict.acceptedWithoutServer(), evidence);
    }
    return of.judged(answer, evidence);
  }

  @Override
  public Outcome outcome(Throwable failure) {
    WireTrace last = wire;
    if (last == null) {
      return operation.outcome(OkHttpFailures.notTaken(), WireRequests.NONE);
    }
    Throwable changed = bodyChanged();
    if (changed != null) {
      return changedBody(changed, last);
    }
    if (callersBody != null) {
      earlier = PreviousEnd.of(failure);
    }
    Evidence evidence = last.evidence(failure, bodySpent());
    TransportFailure classified = OkHttpFailures.classify(failure, last);
    if (classified != null) {
      return operation.outcome(sender.failed(last, classified, this), evidence);
    }
    Response head = Objects.requireNonNull(last.head());
    Outcome ofHead =
        operation.outcome(
            new OkHttpAnswer(head, last, null), last.evidenceOfHead(head, bodySpent()));
    return ofHead.verdict() instanceof Verdict.Accepted
        ? operation.outcome(OkHttpFailures.ofInterceptor(failure), evidence) // it is no success
        : ofHead;
  }

  private Outcome changedBody(Throwable changed, WireTrace of) {
    TransportFailure permanent =
        TransportFailure.permanent(FailureKind.OTHER, StopReason.BODY_CHANGED);
    return operation.outcome(permanent, of.evidence(changed, bodySpent()));
  }

  @Override
  public Evidence evidence() {
    WireTrace last = wire;
    return last == null ? WireRequests.NONE : last.evidence(bodySpent());
  }

  private boolean bodySpent() {
    return callersBody != null && callersBody.sent().isSpent();
  }

  @Override
  public Map<String, List<String>> headers(OkHttpAnswer answer) {
    return OkHttpViews.headerMap(answer.response().headers());
  }

  @Override
  public void waits() {
    wire = null;
    sender.waits();
  }

  @Override
  public void discard(OkHttpAnswer answer) {
    if (answer.response().body() == null) {
      return;
    }
    Runnable drop = sender.boundsAttempts() ? () -> {} : answer::drop; // closing would read on
    Buffer whole = UnwantedResponse.readAndClose(answer.response(), operation, drop);
    if (callersBody != null) {
      earlier = whole == null ? null : PreviousEnd.of(answer.response(), whole);
    }
  }

  @Override
  public OkHttpAnswer deliver(OkHttpAnswer answer, @Nullable RetryReport report) {
    Response response = answer.response();
    Request attempted = response.request();
    Request own = sent(attempted, answer.wire()) ? request : handedBack(attempted);
    RetryReport told = report(report, response);
    Request asked = told == null ? own : OkHttpReports.tagged(own, response, told);
    return asked.equals(attempted)
        ? answer
        : new OkHttpAnswer(
            response.newBuilder().request(asked).build(), answer.wire(), answer.whole());
  }

  /** The report for the caller, null if the response itself tells it. */
  private @Nullable RetryReport report(@Nullable RetryReport report, Response response) {
    OperationInfo info = operation.info();
    boolean tells = !info.idempotencyKey().isPresent() || OkHttpReports.tells(response, info);
    boolean told = tells && response.code() < 400; // a higher one was accepted by the user's rules
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
    if (!operation.changesHeaders() && attempted.tag(CallTag.class) == null) {
      return attempted;
    }
    Request.Builder own = attempted.newBuilder().tag(OperationInfo.class, null);
    own.tag(CallTag.class, null);
    attempted.headers().names().stream().filter(operation::adds).forEach(own::removeHeader);
    return own.build();
  }

  @Override
  public boolean boundsAttempts() {
    return sender.boundsAttempts();
  }

  @Override
  public Throwable timedOut(TimeUp limit) {
    if (limit.limit() != TimeLimit.ATTEMPT_TIMEOUT) {
      sender.deadlinePassed(limit, this);
    }
    return CallTimeouts.timeout(limit);
  }

  /**
   * The time that the deadline leaves. The timeout of the call, which may be cancelled, and that of
   * the policy do not count.
   */
  @Override
  public long mostNanos(long nowNanos) {
    return deadline == null ? Long.MAX_VALUE : deadline.leftNanos();
  }

  @Override
  public long spentNanos() {
    return sender.spentNanos();
  }

  @Override
  public TimeLimit boundLimit() {
    return CallTimeouts.boundLimit(deadline);
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT, DEADLINE -> CallTimeouts.timeout(null);
      case CANCELLED -> new IOException("Canceled");
      case INTERRUPTED -> CallTimeouts.interrupted();
      case REJECTED -> new IOException("the scheduler accepts no retry", cause);
    };
  }

  @Override
  public void callBack(Runnable callback) {
    sender.callBack(callback);
  }
}
