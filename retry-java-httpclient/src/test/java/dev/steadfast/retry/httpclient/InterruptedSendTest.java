package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The client's send throws because its caller was interrupted: the caller sees that exception. */
class InterruptedSendTest {
  private static final URI NOWHERE = URI.create("http://127.0.0.1:9/");

  private final InterruptedException interrupted = new InterruptedException();
  private final FakeTime time = new FakeTime();

  @AfterEach
  void noFlagIsLeft() {
    assertFalse(Thread.interrupted());
  }

  /** Reads the request body, and throws one exception after the other. */
  private static final class Throwing extends DelegatingClient {
    private final Queue<Exception> exceptions;

    Throwing(Exception... exceptions) {
      super(HttpClient.newHttpClient());
      this.exceptions = new ArrayDeque<>(List.of(exceptions));
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
        throws IOException, InterruptedException {
      request.bodyPublisher().ifPresent(body -> body.subscribe(new Reader()));
      Exception next = exceptions.remove();
      if (next instanceof IOException failed) {
        throw failed;
      }
      throw (InterruptedException) next;
    }
  }

  private static final class Reader implements Flow.Subscriber<ByteBuffer> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(ByteBuffer buffer) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }

  /** Has everything retried. */
  private static final class RetriesAll implements HttpClassifier {
    @Override
    public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
      return Verdict.accepted();
    }

    @Override
    public Verdict onFailure(OperationView operation, TransportFailure failure) {
      return Verdict.retryable(failure.kind());
    }
  }

  private HttpRetry.Builder retry() {
    return HttpRetry.builder().environment(time.environment()).listener(time.skipWaits());
  }

  private void assertInterrupted(HttpClient client, HttpRequest request, int attempts) {
    Throwable thrown =
        assertThrows(
            InterruptedException.class, () -> client.send(request, BodyHandlers.discarding()));
    assertSame(interrupted, thrown);
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(StopReason.INTERRUPTED, report.reason());
    assertEquals(attempts, report.attempts());
  }

  @Test
  void noRuleOfTheUsersMakesARetryOfIt() {
    HttpClient client =
        RetryingHttpClient.wrap(
            new Throwing(interrupted, new IOException("second attempt")),
            retry().classifier(new RetriesAll()).build());
    assertInterrupted(client, HttpRequest.newBuilder(NOWHERE).build(), 1);
  }

  @Test
  void aBodyThatHasChangedDoesNotHideIt() {
    AtomicInteger passes = new AtomicInteger();
    BodyPublisher changing =
        new BodyPublisher() {
          @Override
          public long contentLength() {
            return 1;
          }

          @Override
          public void subscribe(Flow.Subscriber<? super ByteBuffer> receiver) {
            byte[] bytes = {(byte) passes.incrementAndGet()};
            BodyPublishers.ofByteArray(bytes).subscribe(receiver);
          }
        };
    HttpClient client =
        RetryingHttpClient.wrap(
            new Throwing(new IOException("reset"), interrupted), retry().build());
    assertInterrupted(client, HttpRequest.newBuilder(NOWHERE).PUT(changing).build(), 2);
    assertEquals(2, passes.get());
  }
}
