package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.Attempt;
import dev.steadfast.retry.Exchange;
import dev.steadfast.retry.RetryLoop;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.TransportFailure;
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
      if (attempt.begin(request)) {
        delivery.handedOver();
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

  private HttpRequest request(Attempt<Answer<T>> attempt, AttemptBody body) {
    if (!operation.changesHeaders() && !ask.body().present()) {
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
  public Verdict judge(Answer<T> answer) {
    Verdict verdict = operation.judge(answer);
    return repeatable(redirects() ? operation.afterEarlierRequest(verdict, false) : verdict);
  }

  @Override
  public Verdict judge(Throwable failure) {
    return repeatable(operation.judge(classify(failure)));
  }

  // The head does not tell what it answers: the request, or one that a redirect asked for.
  private boolean redirects() {
    return client.followRedirects() != HttpClient.Redirect.NEVER;
  }

  private Verdict repeatable(Verdict verdict) {
    return ask.body().canBeSent() ? verdict : HttpOperation.withoutBody(verdict);
  }

  @Override
  public Facts facts(@Nullable Answer<T> answer, @Nullable Throwable failure) {
    if (answer != null) {
      Facts facts = operation.facts(answer, -1);
      return redirects() ? facts.afterEarlierRequest() : facts;
    }
    return HttpOperation.facts(classify(failure == null ? new IOException() : failure), -1);
  }

  private TransportFailure classify(Throwable failure) {
    return Failures.classify(failure, Circumstances.of(client, ask.body(), current));
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
  public Answer<T> deliver(Answer<T> answer, RetryReport report) {
    return report == RetryReport.clean() ? answer : answer.with(report);
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
  public void execute(Runnable continuation) {
    try {
      continuations.execute(continuation);
    } catch (RejectedExecutionException rejected) {
      // A continuation that nobody runs is an operation that never ends.
      new CompletableFuture<Void>().defaultExecutor().execute(continuation);
    }
  }
}
