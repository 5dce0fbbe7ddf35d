package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.OperationJournal;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One operation as {@code java.net.http} carries it out. */
final class JdkTransport<T>
    implements RetryTransport<Answer<T>>, OperationJournal.AnswerCodec<Answer<T>> {
  // From the last byte of the request to the head of the response.
  private static final long HEAD_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final LongSupplier REAL_TIME = RetryEnvironment.system().ticker();

  private final WrappedClient wrapped;
  private final HttpClient client;
  private final HttpOperation operation;
  private final JdkRequest ask;
  private final Receiver<T> receiver;

  private volatile @Nullable AttemptBodyHandler<T> current;
  private volatile @Nullable RuntimeException refusal;

  private final RetryLoop<Answer<T>> loop;

  JdkTransport(
      WrappedClient wrapped, HttpOperation operation, JdkRequest ask, Receiver<T> receiver) {
    this.wrapped = wrapped;
    this.client = wrapped.client();
    this.operation = operation;
    this.ask = ask;
    this.receiver = receiver;
    this.loop = operation.loop(operation.plan(), this, this);
  }

  /** The loop that drives this. */
  RetryLoop<Answer<T>> loop() {
    return loop;
  }

  @Override
  public void over() {
    wrapped.over(loop);
  }

  /** The bound that the caller gave. */
  long boundNanos() {
    return operation.boundNanos();
  }

  /** What the client threw at once when it got the request, null if it took it. */
  @Nullable RuntimeException refusal() {
    return refusal;
  }

  @Override
  public void start(Attempt<Answer<T>> attempt) {
    AttemptBody body = ask.body().forAttempt(attempt, operation.plan().environment().ticker());
    AttemptBodyHandler<T> delivery =
        new AttemptBodyHandler<>(attempt, body, receiver.handler(), operation);
    if (client.followRedirects() == HttpClient.Redirect.NEVER) {
      delivery.answeredBy(operation.info().origin());
    }
    delivery.follows(current);
    current = delivery;
    try {
      HttpRequest request = request(attempt, body);
      if (attempt.begin(request)) {
        sendMarked(AttemptRequest.late(request, operation.lateHeaders(attempt)), attempt, delivery);
      }
    } catch (RuntimeException thrown) {
      if (wrapped.isJdks()) {
        delivery.notTakenByClient();
      }
      refusal = thrown;
      throw thrown;
    }
  }

  // A client that is not the JDK's own may send through another one that retries.
  private void sendMarked(
      HttpRequest request, Attempt<Answer<T>> attempt, AttemptBodyHandler<T> delivery) {
    Runnable unmark = wrapped.isJdks() ? () -> {} : operation.markAttempt();
    try {
      // It may have been stopped while functions of the user's made its headers.
      if (!attempt.stopped() && delivery.handOver()) {
        send(request, attempt, delivery);
      }
    } finally {
      unmark.run();
    }
  }

  private void send(
      HttpRequest request, Attempt<Answer<T>> attempt, AttemptBodyHandler<T> delivery) {
    if (receiver.waits()) {
      sendBlocking(request, attempt, delivery);
      return;
    }
    Pushes<T> pushes = receiver.pushes();
    CompletableFuture<HttpResponse<T>> sent =
        client.sendAsync(
            request, delivery, pushes == null ? null : pushes.forAttempt(attempt.number()));
    delivery.of(sent);
    attempt.onCancel(delivery);
    sent.whenComplete(delivery);
  }

  private void sendBlocking(
      HttpRequest request, Attempt<Answer<T>> attempt, AttemptBodyHandler<T> delivery) {
    SendInterrupt interrupt = new SendInterrupt();
    delivery.body().sentBy(interrupt);
    HttpRequest timed = timeouts().timed(request, attempt);
    delivery.of(interrupt, timed.timeout().isPresent());
    attempt.onCancel(delivery);
    HttpResponse<T> response = null;
    Throwable thrown = null;
    try {
      response = client.send(timed, delivery);
    } catch (Throwable failed) {
      thrown = failed;
    }
    delivery.returned();
    boolean interrupted = thrown instanceof InterruptedException;
    boolean byUser = interrupted && !interrupt.over(true);
    if (!interrupted) {
      interrupt.over(false);
    }
    if (refused(thrown) && !delivery.answered() && wrapped.isJdks()) {
      delivery.notTakenByClient();
    }
    delivery.accept(response, thrown);
    if (byUser && attempt.stopped()) {
      Thread.currentThread().interrupt(); // the attempt had ended already: the interrupt comes next
    }
  }

  // An exception without a cause is how the client refuses a request. What goes wrong later, it
  // wraps.
  private static boolean refused(@Nullable Throwable thrown) {
    return thrown instanceof RuntimeException && thrown.getCause() == null;
  }

  private ClientTimeouts timeouts() {
    boolean realTime = operation.plan().environment().ticker().equals(REAL_TIME);
    return new ClientTimeouts(ask.body().length(), headTimeoutNanos(), realTime);
  }

  private boolean changesRequest() {
    return operation.changesHeaders() || ask.body().present();
  }

  private HttpRequest request(Attempt<Answer<T>> attempt, AttemptBody body) {
    if (!changesRequest()) {
      return ask.request();
    }
    Map<String, String> added = new LinkedHashMap<>();
    operation.headers(attempt.number(), attempt.timeoutNanos(), added::put);
    return AttemptRequest.of(
        ask.request(),
        added,
        ask.body().present() ? Optional.of(body) : ask.request().bodyPublisher());
  }

  // An explicit timeout of the user's beats the default.
  @Override
  public long headTimeoutNanos() {
    return ask.request().timeout().isPresent() ? Long.MAX_VALUE : HEAD_TIMEOUT_NANOS;
  }

  @Override
  public long idleLeftNanos(long nowNanos) {
    AttemptBodyHandler<T> delivery = current;
    return delivery == null ? Long.MAX_VALUE : delivery.idleLeftNanos(nowNanos);
  }

  @Override
  public Outcome outcome(Answer<T> answer) {
    Disposition last =
        HttpOperation.refuses(answer.status()) ? Disposition.REFUSED : Disposition.ANSWERED;
    return operation.outcome(answer, evidence(circumstances(), last, answer.status()));
  }

  @Override
  public Outcome outcome(Throwable failure) {
    FailureContext known = circumstances();
    Throwable thrown = receiver.waits() ? Failures.wrappedBySend(failure) : failure;
    Failures.Failure classified = Failures.classify(thrown, known);
    return operation.outcome(classified.what(), evidence(known, classified.last(), -1));
  }

  @Override
  public Evidence evidence() {
    FailureContext known = circumstances();
    AttemptBodyHandler<T> delivery = current;
    return evidence(known, known.disposition(), delivery == null ? -1 : delivery.status());
  }

  private FailureContext circumstances() {
    return FailureContext.of(client, ask, current);
  }

  /** Of the wire nothing is seen; the client's contract says what it sends. */
  private Evidence evidence(FailureContext known, Disposition last, int status) {
    Evidence.Requests requests = known.requests(last, operation.safety());
    int deliveries = wrapped.isJdks() ? known.deliveries(last) : -1;
    Evidence evidence = new Evidence(requests, status, deliveries, false, !ask.body().canBeSent());
    AttemptBodyHandler<T> delivery = current;
    return delivery != null && delivery.afterEffect() ? evidence.afterEffect() : evidence;
  }

  @Override
  public Map<String, List<String>> headers(Answer<T> answer) {
    return answer.headerMap();
  }

  @Override
  public void discard(Answer<T> answer) {
    answer.discard();
  }

  @Override
  public Answer<T> deliver(Answer<T> answer, @Nullable RetryReport report) {
    return answer.with(report, operation.info(), handedBack(answer.response()));
  }

  @Override
  public OperationJournal.Answer save(Answer<T> answer) {
    AttemptBodyHandler<T> delivery = current;
    return answer.kept(delivery == null ? null : delivery.recordedBody());
  }

  @Override
  public OperationJournal.EarlierRequest earlierRequest(Answer<T> answer) {
    return AfterRedirect.earlierRequest(answer.response());
  }

  @Override
  public Answer<T> restore(OperationJournal.Answer answer, RetryReport report) throws IOException {
    HttpResponse<T> stored = StoredResponse.of(answer, ask.request(), receiver.handler());
    return Answer.<T>whole(stored, null).with(report, operation.info(), ask.request());
  }

  /**
   * The request of a response without what was added to it, so that one made from it is an
   * operation of its own.
   */
  private HttpRequest handedBack(HttpResponse<T> response) {
    if (response.previousResponse().isEmpty()) {
      return ask.request();
    }
    return HttpRequest.newBuilder(response.request(), (name, value) -> !operation.adds(name))
        .build();
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT, DEADLINE -> new HttpTimeoutException("request timed out");
      case CANCELLED ->
          wrapped.stopped()
              ? new IOException("shutdownNow")
              : new CancellationException("Request cancelled");
      case INTERRUPTED -> new InterruptedException();
      case REJECTED -> new IOException("no timer takes the next attempt", cause);
    };
  }

  @Override
  public void callBack(Runnable callback) {
    Optional<Executor> executor = client.executor();
    if (executor.isPresent()) {
      executor.get().execute(callback);
    } else {
      callback.run();
    }
  }
}
