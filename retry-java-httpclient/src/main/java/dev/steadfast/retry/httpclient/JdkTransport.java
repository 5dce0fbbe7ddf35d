package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One operation as {@code java.net.http} carries it out. */
final class JdkTransport<T> extends PathTransport
    implements RetryTransport<JdkAnswer<T>>, Journaling.Codec<JdkAnswer<T>> {
  private final WrappedClient wrapped;
  private final HttpClient client;
  private final HttpOperation operation;
  private final JdkRequest original;
  private final Receiver<T> receiver;

  private volatile @Nullable AttemptBodyHandler<T> current;
  private volatile boolean afterEffect; // of an attempt before the current one, perhaps
  private @Nullable PreviousAnswer<T> earlier; // to the attempt before the current one
  private volatile @Nullable RuntimeException refusal;
  private volatile int attempts;

  private final RetryLoop<JdkAnswer<T>> loop;

  JdkTransport(
      WrappedClient wrapped, HttpOperation operation, JdkRequest original, Receiver<T> receiver) {
    super(operation, receiver.pushes() == null ? wrapped.other() : null);
    this.wrapped = wrapped;
    this.client = wrapped.client();
    this.operation = operation;
    this.original = original;
    this.receiver = receiver;
    this.loop = operation.loop(operation.plan(), this, this);
  }

  /** The loop that drives this. */
  RetryLoop<JdkAnswer<T>> loop() {
    return loop;
  }

  /**
   * Carries the operation out while the calling thread waits.
   *
   * @param apart whether another thread does
   */
  JdkAnswer<T> run(boolean apart) throws Throwable {
    return apart
        ? loop.runApart(operation.plan(), operation.boundNanos())
        : loop.run(operation.boundNanos());
  }

  /** Carries the operation out while no thread waits. */
  CompletableFuture<HttpResponse<T>> start() {
    return loop.start(operation.boundNanos(), JdkAnswer::response, CompletionException::new);
  }

  @Override
  public void over() {
    wrapped.over(loop);
  }

  /** The exception that the client threw at once when it got the request, null if it took it. */
  @Nullable RuntimeException refusal() {
    return refusal;
  }

  @Override
  public void start(Attempt<JdkAnswer<T>> attempt) {
    attempts = attempt.number();
    limits().begins(attempt);
    waits();
    LongSupplier ticker = operation.plan().environment().ticker();
    AttemptBody body = original.body().forAttempt(attempt, ticker, earlier != null);
    AttemptBodyHandler<T> delivery =
        new AttemptBodyHandler<>(attempt, body, receiver.handler(), operation);
    if (client.followRedirects() == HttpClient.Redirect.NEVER) {
      delivery.answer().comesFrom(operation.info().origin());
    }
    delivery.previousEnd().follows(earlier);
    delivery.heads(ProvisionalHeads.of(wrapped, operation, original.request(), body));
    current = delivery;
    chooseWay(attempt, delivery);
    try {
      HttpRequest request = request(attempt, body);
      if (attempt.begin(request)) {
        sendInTurn(SentRequest.late(request, operation.lateHeaders(attempt)), attempt, delivery);
      }
    } catch (RuntimeException thrown) {
      if (wrapped.isJdks()) {
        delivery.notTakenByClient();
      }
      refusal = thrown;
      throw thrown;
    }
  }

  private void sendInTurn(
      HttpRequest request, Attempt<JdkAnswer<T>> attempt, AttemptBodyHandler<T> delivery) {
    if (waitsForTurn()) {
      inTurn(attempt, receiver.waits(), () -> sendMarked(request, attempt, delivery));
    } else {
      sendMarked(request, attempt, delivery);
    }
  }

  // A client that is not the JDK's own may send through another one that retries.
  private void sendMarked(
      HttpRequest request, Attempt<JdkAnswer<T>> attempt, AttemptBodyHandler<T> delivery) {
    Runnable unmark = wrapped.isJdks() ? () -> {} : operation.markAttempt();
    try {
      // The attempt may have been stopped while functions of the user's made its headers.
      if (!attempt.stopped() && delivery.handOver()) {
        send(request, attempt, delivery);
      }
    } finally {
      unmark.run();
    }
  }

  private void send(
      HttpRequest request, Attempt<JdkAnswer<T>> attempt, AttemptBodyHandler<T> delivery) {
    if (receiver.waits()) {
      sendBlocking(request, attempt, delivery);
      return;
    }
    Pushes<T> pushes = receiver.pushes();
    CompletableFuture<HttpResponse<T>> sent =
        taken(client)
            .sendAsync(
                request, delivery, pushes == null ? null : pushes.forAttempt(attempt.number()));
    delivery.stop().of(sent);
    attempt.onCancel(delivery.stop());
    sent.whenComplete(delivery);
  }

  private void sendBlocking(
      HttpRequest request, Attempt<JdkAnswer<T>> attempt, AttemptBodyHandler<T> delivery) {
    SendInterrupt interrupt = new SendInterrupt();
    delivery.body().sentBy(interrupt);
    HttpRequest timed =
        ClientTimeouts.of(operation.plan(), original.body().length()).timed(request, attempt);
    delivery.stop().of(interrupt, timed.timeout().isPresent());
    attempt.onCancel(delivery.stop());
    HttpResponse<T> response = null;
    Throwable thrown = null;
    try {
      response = delivery.whole(taken(client).send(timed, delivery));
    } catch (Throwable failed) {
      thrown = timed.equals(request) ? failed : limits().timedOut(attempt, failed);
    }
    delivery.stop().returned();
    boolean interrupted = thrown instanceof InterruptedException;
    boolean byUser = !interrupt.over(interrupted) && interrupted;
    if (Failures.refused(thrown) && !delivery.answered() && wrapped.isJdks()) {
      delivery.notTakenByClient();
    }
    delivery.over(response, thrown);
    if (byUser && attempt.stopped()) {
      Thread.currentThread().interrupt(); // the attempt had ended: the loop sees it next
    }
  }

  private HttpRequest request(Attempt<JdkAnswer<T>> attempt, AttemptBody body) {
    if (!operation.changesHeaders() && !original.body().present()) {
      return original.request();
    }
    Map<String, String> added = new LinkedHashMap<>();
    operation.headers(attempt.timeoutNanos(), added::put);
    return SentRequest.of(
        original.request(),
        added,
        original.body().present() ? Optional.of(body) : original.request().bodyPublisher());
  }

  @Override
  public long idleLeftNanos(long nowNanos) {
    AttemptBodyHandler<T> delivery = current;
    return delivery == null ? Long.MAX_VALUE : delivery.idleLeftNanos(nowNanos);
  }

  @Override
  public Outcome outcome(JdkAnswer<T> answer) {
    AttemptBodyHandler<T> delivery = current;
    StopReason ofBody = delivery == null ? null : delivery.previousEnd().used();
    if (ofBody != null) {
      FailureContext known = circumstances();
      return operation.outcome(
          TransportFailure.permanent(FailureKind.OTHER, ofBody),
          evidence(known, known.disposition(), -1));
    }
    Disposition last = AnswerProof.of(answer.status()).disposition();
    Evidence evidence = evidence(circumstances(), last, answer.status());
    ProvisionalHeads<T> heads = delivery == null ? null : delivery.heads();
    if (delivery == null || heads == null || !heads.judged()) {
      return judged(answer, evidence, delivery);
    }
    return heads.outcome(evidence, delivery.handedOnEarly());
  }

  @Override
  public Verdict verdict(JdkAnswer<T> head) {
    AttemptBodyHandler<T> delivery = current;
    Disposition last = AnswerProof.of(head.status()).disposition();
    Evidence one = Evidence.of(last, operation.safety(), head.status(), -1);
    Outcome outcome = judged(head, one, delivery);
    ProvisionalHeads<T> heads = delivery == null ? null : delivery.heads();
    if (heads != null) {
      heads.means(outcome);
    }
    return outcome.verdict();
  }

  @Override
  public Outcome outcome(Throwable failure) {
    FailureContext known = circumstances();
    Throwable thrown = receiver.waits() ? Failures.wrappedBySend(failure) : failure;
    Failures.Failure classified = Failures.classify(thrown, known);
    return operation.outcome(
        onPath(classified.what(), thrown, current), evidence(known, classified.last(), -1));
  }

  @Override
  public Evidence evidence() {
    FailureContext known = circumstances();
    AttemptBodyHandler<T> delivery = current;
    return evidence(known, known.disposition(), delivery == null ? -1 : delivery.answer().status());
  }

  private FailureContext circumstances() {
    return FailureContext.of(client, original, current);
  }

  /** The evidence: of the requests that the client shows, or else by its contract. */
  private Evidence evidence(FailureContext known, Disposition last, int status) {
    AttemptBodyHandler<T> delivery = current;
    boolean bodySpent = !original.body().canBeSent();
    ProvisionalHeads<T> heads = delivery == null ? null : delivery.heads();
    Evidence evidence = heads == null ? null : heads.evidence(status, bodySpent);
    if (evidence == null) {
      int deliveries = wrapped.isJdks() ? known.deliveries(last) : -1;
      Evidence sent = known.evidence(last, operation.safety(), status, deliveries);
      evidence = sent.withBodySpent(bodySpent);
    }
    return delivery != null && afterEffect ? evidence.withEarlierEffect() : evidence;
  }

  @Override
  public Map<String, List<String>> headers(JdkAnswer<T> answer) {
    return answer.headerMap();
  }

  @Override
  public void waits() {
    AttemptBodyHandler<T> last = current;
    if (last != null) {
      afterEffect |= last.answer().hidesEffect();
      earlier = last.previousEnd().kept();
      current = null;
    }
  }

  @Override
  public void discard(JdkAnswer<T> answer) {
    answer.discard();
  }

  @Override
  public JdkAnswer<T> deliver(JdkAnswer<T> answer, @Nullable RetryReport report) {
    return answer.with(
        report,
        operation.info(),
        SentRequest.handedBack(original.request(), operation, answer.response()));
  }

  @Override
  public ResponseView head(JdkAnswer<T> answer) {
    return answer;
  }

  @Override
  public byte @Nullable [] body(JdkAnswer<T> answer) {
    AttemptBodyHandler<T> delivery = current;
    return delivery == null ? null : delivery.recordedBody();
  }

  @Override
  public Journaling.EarlierRequest earlierRequest(JdkAnswer<T> answer) {
    return AfterRedirect.earlierRequest(answer.response());
  }

  @Override
  public JdkAnswer<T> restore(ResponseView head, byte[] body, RetryReport report)
      throws IOException {
    HttpResponse<T> stored = StoredResponse.of(head, body, original.request(), receiver.handler());
    return JdkAnswer.<T>whole(stored, null).with(report, operation.info(), original.request());
  }

  private TimeLimits limits() {
    return new TimeLimits(operation, original);
  }

  @Override
  public Throwable timedOut(TimeUp limit) {
    operationTimedOut(limit, current);
    return limits().timedOut(limit, attempts);
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return wrapped.failure(end, cause);
  }

  @Override
  public void callBack(Runnable callback) {
    client.executor().orElse(Runnable::run).execute(callback);
  }
}
