package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the caller gets at each end of an operation, for each entry point. */
class OutcomesTest {
  @RegisterExtension private final Bench bench = new Bench();

  private <X extends Throwable> X failure(
      Entry entry, Class<X> type, HttpClient client, HttpRequest request) {
    X thrown = assertThrows(type, () -> entry.call(client, request, BodyHandlers.ofString()));
    assertEquals(type, thrown.getClass());
    return thrown;
  }

  private static RetryReport report(Throwable thrown) {
    return RetryReport.of(thrown).orElseThrow();
  }

  // ---- the last exception

  /** Real time; longer and longer until it was not up before the server had the request. */
  @ParameterizedTest
  @EnumSource
  void theRequestsOwnTimeoutBoundsAnAttempt(Entry entry) {
    bench.server.defaultReply(Reply.stallAfterRequest());
    for (long millis = 50; ; millis *= 2) {
      String path = "/" + millis;
      HttpRequest request =
          HttpRequest.newBuilder(bench.server.uri(path))
              .POST(HttpRequest.BodyPublishers.ofString("order"))
              .timeout(Duration.ofMillis(millis))
              .build();
      HttpTimeoutException thrown =
          assertThrows(
              HttpTimeoutException.class,
              () -> entry.call(bench.client(), request, BodyHandlers.ofString()));
      if (bench.server.requests().stream().anyMatch(each -> each.target().equals(path))) {
        assertEquals(HttpTimeoutException.class, thrown.getClass());
        assertEquals("request timed out", thrown.getMessage());
        assertEquals(StopReason.NOT_REPLAYABLE, report(thrown).reason());
        return;
      }
    }
  }

  // ---- guards, executors, schedulers

  @ParameterizedTest
  @EnumSource
  void schedulerThatTakesNoMore(Entry entry) {
    bench.server.defaultReply(Reply.status(503).header("Retry-After", "2"));
    RejectedExecutionException full = new RejectedExecutionException("full");
    RetryPolicy policy = RetryPolicy.builder().noTotalTimeout().build();
    HttpRetry.Builder retry =
        bench
            .retry()
            .policy(policy)
            .environment(bench.time.environment().withScheduler(refusing(full)));
    IOException thrown = failure(entry, IOException.class, bench.client(retry), bench.get());
    assertSame(full, thrown.getCause());
    assertEquals(StopReason.REJECTED, report(thrown).reason());
  }

  private static RetryScheduler refusing(RejectedExecutionException reason) {
    return new RetryScheduler() {
      @Override
      public boolean isVirtual() {
        return true;
      }

      @Override
      public Task schedule(long delayNanos, Runnable task) {
        throw reason;
      }

      @Override
      public boolean await(CountDownLatch wake, long nanos) {
        throw reason;
      }
    };
  }

  // ---- user code

  @ParameterizedTest
  @EnumSource
  void clientThatRefusesTheRequest(Entry entry) {
    HttpRequest request = new ForeignRequest("CONNECT", bench.server.uri("/"));
    failure(entry, IllegalArgumentException.class, bench.client(), request);
    assertThrows(
        IllegalArgumentException.class,
        () -> bench.client().sendAsync(request, BodyHandlers.ofString()),
        "thrown, not put into the future");
  }

  // With JDK 17, send of the plain client hangs then; BadExecutorTest shows that ours has a
  // deadline.
  @ParameterizedTest
  @EnumSource(names = "SEND_ASYNC")
  void executorThatTakesNoMore(Entry entry) {
    HttpClient plain =
        Bench.plain()
            .executor(task -> {
              throw new RejectedExecutionException("full");
            })
            .build();
    HttpClient client = RetryingHttpClient.wrap(plain, bench.retry().build());
    Throwable thrown =
        assertThrows(
            Exception.class, () -> entry.call(client, bench.get(), BodyHandlers.ofString()));
    Throwable full = thrown;
    while (full instanceof IOException) {
      full = full.getCause(); // the client's send wraps it
    }
    assertInstanceOf(RejectedExecutionException.class, full);
    assertEquals(StopReason.REJECTED, report(thrown).reason());
    assertEquals(1, report(thrown).attempts());
  }
}
