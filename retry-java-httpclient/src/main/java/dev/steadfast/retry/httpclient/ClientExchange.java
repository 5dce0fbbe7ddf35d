package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.Attempt;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.Evidence;
import dev.steadfast.retry.Exchange;
import dev.steadfast.retry.Outcome;
import dev.steadfast.retry.RetryLoop;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** One operation as {@code java.net.http} carries it out. */
final class ClientExchange<T> implements Exchange<Answer<T>> {
  private final HttpClient client;
  private final HttpOperation operation;
  private final Ask<T> ask;
  private final Executor continuations;

  private volatile @Nullable Delivery<T> current;
  private volatile @Nullable RuntimeException refusal;

  ClientExchange(HttpClient client, HttpOperation operation, Ask<T> ask, Executor continuations) {
    this.client = client;
    this.operation = operation;
    this.ask = ask;
    this.continuations = continuations;
  }

  /** The loop that drives this. */
  RetryLoop<Answer<T>> loop() {
    return new RetryLoop<>(operation.plan(), operation.info(), this);
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
    AttemptBody body = ask.body().forAttempt(attempt);
    Delivery<T> delivery =
        new Delivery<>(attempt, body, ask.handler(), operation.plan().environment().scheduler());
    current = delivery;
    try {
      HttpRequest request = request(attempt, body);
      if (attempt.begin(request) && delivery.handOver()) {
        send(request, attempt, delivery);
      }
    } catch (RuntimeException thrown) {
      delivery.notTakenByClient();
      refusal = thrown;
      throw thrown;
    }
  }

  private void send(HttpRequest request, Attempt<Answer<T>> attempt, Delivery<T> delivery) {
    Pushes<T> pushes = ask.pushes();
    CompletableFuture<HttpResponse<T>> sent =
        client.sendAsync(
            request, delivery, pushes == null ? null : pushes.forAttempt(attempt.number()));
    delivery.of(sent);
    attempt.onCancel(delivery);
    sent.whenComplete(delivery);
  }

  private boolean changesRequest() {
    return operation.changesHeaders() || ask.body().present();
  }

  private HttpRequest request(Attempt<Answer<T>> attempt, AttemptBody body) {
    if (!changesRequest()) {
      return ask.request();
    }
    HttpRequest.Builder copy = HttpRequest.newBuilder(ask.request(), (name, value) -> true);
    operation.headers(attempt.number(), attempt.timeoutNanos(), copy::setHeader);
    if (ask.body().present()) {
      copy.method(ask.request().method(), body);
    }
    return copy.build();
  }

  @Override
  public Outcome outcome(Answer<T> answer) {
    Disposition last =
        HttpOperation.refuses(answer.status()) ? Disposition.REFUSED : Disposition.ANSWERED;
    return operation.outcome(answer, evidence(circumstances(), last, answer.status()));
  }

  @Override
  public Outcome outcome(Throwable failure) {
    Circumstances known = circumstances();
    Failures.Failure classified = Failures.classify(failure, known);
    return operation.outcome(classified.what(), evidence(known, classified.last(), -1));
  }

  @Override
  public Evidence evidence() {
    Circumstances known = circumstances();
    Delivery<T> delivery = current;
    return evidence(known, known.disposition(), delivery == null ? -1 : delivery.status());
  }

  private Circumstances circumstances() {
    return Circumstances.of(client, ask, current);
  }

  /** Of the wire nothing is seen; the client's contract says what it sends. */
  private Evidence evidence(Circumstances known, Disposition last, int status) {
    Evidence.Requests requests = known.requests(last, operation.safety());
    return new Evidence(requests, status, -1, false, !ask.body().canBeSent());
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
    boolean keyed = operation.info().idempotencyKey().isPresent();
    if (report == null && !keyed && !changesRequest()) {
      return answer;
    }
    RetryReport told = report == null ? RetryReport.clean(operation.info()) : report;
    return answer.with(told, handedBack(answer.response()));
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
      case CANCELLED -> new CancellationException("Request cancelled");
      case INTERRUPTED -> new InterruptedException();
      case REJECTED -> new IOException("no timer takes the next attempt", cause);
    };
  }

  @Override
  public void callBack(Runnable continuation) {
    try {
      continuations.execute(continuation);
    } catch (RejectedExecutionException rejected) {
      // A continuation that nobody runs is an operation that never ends.
      new CompletableFuture<Void>().defaultExecutor().execute(continuation);
    }
  }
}
