package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.Advice;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long an attempt may be silent is for the caller to say. */
class AttemptTimeoutTest {
  private static final Duration DEFAULT = Duration.ofSeconds(10);
  private static final Duration SOON = Duration.ofSeconds(20);

  private final Bench bench = new Bench();
  private final CountDownLatch answer = new CountDownLatch(1);

  @AfterEach
  void close() {
    answer.countDown();
    bench.close();
  }

  private HttpRetry retry(RetryPolicy policy) {
    return HttpRetry.builder().policy(policy).environment(bench.time.environment()).build();
  }

  private static RetryingHttpClient client(HttpRetry retry) {
    return RetryingHttpClient.wrap(Bench.plain().build(), retry);
  }

  private HttpClient client(RetryPolicy policy) {
    return client(retry(policy));
  }

  private void isRetriedAfter(Duration timeout, Entry entry, HttpClient client, HttpRequest request)
      throws Throwable {
    bench.server.enqueue(Reply.stallAfterRequest());
    try (UnderWay<String> call = UnderWay.call(entry, client, request, BodyHandlers.ofString())) {
      bench.server.awaitRequests(1, SOON);
      bench.time.advance(timeout);
      bench.server.awaitRequests(2, SOON);
      assertEquals(200, call.outcome().statusCode());
    }
  }

  private void isNotCutAfter(Duration time, Entry entry, HttpClient client, HttpRequest request)
      throws Throwable {
    bench.server.enqueue(Reply.status(200).body("slow").delayUntil(answer));
    try (UnderWay<String> call = UnderWay.call(entry, client, request, BodyHandlers.ofString())) {
      bench.server.awaitRequests(1, SOON);
      bench.time.advance(time);
      answer.countDown();
      assertEquals("slow", call.outcome().body());
      assertEquals(1, bench.server.requests().size());
    }
  }

  private HttpRequest get(Duration timeout) {
    return HttpRequest.newBuilder(bench.server.uri("/")).timeout(timeout).build();
  }

  // ---- by default

  @ParameterizedTest
  @EnumSource
  void aSilentAttemptLastsAsLongAsTheTotalTimeout(Entry entry) throws Throwable {
    HttpRetry retry = retry(RetryPolicy.defaults());
    isNotCutAfter(Duration.ofSeconds(29), entry, client(retry), bench.get());
    assertFalse(retry.plan().advised(Advice.SILENT_ATTEMPT));
  }

  @ParameterizedTest
  @EnumSource
  void aSilentAttemptIsEndedByTheTotalTimeoutWithAWarning(Entry entry) throws Throwable {
    HttpRetry retry = retry(RetryPolicy.defaults());
    bench.server.enqueue(Reply.stallAfterRequest());
    try (UnderWay<String> call =
        UnderWay.call(entry, client(retry), bench.get(), BodyHandlers.ofString())) {
      bench.server.awaitRequests(1, SOON);
      bench.time.advance(Duration.ofSeconds(30));
      HttpTimeoutException thrown = assertThrows(HttpTimeoutException.class, call::outcome);
      assertEquals(1, RetryReport.of(thrown).orElseThrow().attempts());
    }
    assertTrue(retry.plan().advised(Advice.SILENT_ATTEMPT));
    assertTrue(Advice.SILENT_ATTEMPT.text().contains("attemptTimeout"));
  }

  @ParameterizedTest
  @EnumSource
  void withoutAnyLimitItIsNotCutButWarnedOf(Entry entry) throws Throwable {
    HttpRetry retry = retry(RetryPolicy.builder().noTotalTimeout().build());
    isNotCutAfter(Duration.ofDays(1), entry, client(retry), bench.get());
    assertTrue(retry.plan().advised(Advice.UNBOUNDED));
  }

  @ParameterizedTest
  @EnumSource
  void aLimitOfAnyKindNeedsNoWarning(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(200));
    HttpRetry total = retry(RetryPolicy.defaults());
    HttpRetry attempt =
        retry(RetryPolicy.builder().noTotalTimeout().attemptTimeout(DEFAULT).build());
    HttpRetry request = retry(RetryPolicy.builder().noTotalTimeout().build());
    HttpRetry deadline = retry(RetryPolicy.builder().noTotalTimeout().build());
    RetryOptions options = RetryOptions.builder().deadline(DEFAULT).build();
    entry.call(client(total), bench.get(), BodyHandlers.ofString());
    entry.call(client(attempt), bench.get(), BodyHandlers.ofString());
    entry.call(client(request), get(DEFAULT), BodyHandlers.ofString());
    entry.call(client(deadline).with(options), bench.get(), BodyHandlers.ofString());
    for (HttpRetry each : List.of(total, attempt, request, deadline)) {
      assertFalse(each.plan().advised(Advice.UNBOUNDED));
    }
  }

  // ---- limits of the user's

  /** The client itself ends an attempt of {@code send}; in real time. */
  @Test
  void aBlockingRequestGetsAnAttemptTimeoutOfAnyLength() throws Exception {
    bench.server.defaultReply(Reply.status(200));
    RetryPolicy policy = RetryPolicy.builder().attemptTimeout(Duration.ofSeconds(25)).build();
    AtomicReference<HttpRequest> sent = new AtomicReference<>();
    HttpClient seeing =
        new DelegatingClient(Bench.plain().build()) {
          @Override
          public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
              throws IOException, InterruptedException {
            sent.set(request);
            return super.send(request, handler);
          }
        };
    RetryingHttpClient.wrap(seeing, HttpRetry.builder().policy(policy).build())
        .send(bench.get(), BodyHandlers.ofString());
    Duration timeout = sent.get().timeout().orElseThrow();
    assertTrue(timeout.compareTo(Duration.ofSeconds(12)) > 0, timeout::toString);
  }

  @ParameterizedTest
  @EnumSource
  void aLongerTimeoutOfTheRequestIsRespected(Entry entry) throws Throwable {
    isNotCutAfter(
        DEFAULT.plusSeconds(5),
        entry,
        client(RetryPolicy.defaults()),
        get(DEFAULT.plusSeconds(10)));
  }

  /** The client keeps this one, in real time. */
  @ParameterizedTest
  @EnumSource
  void aShorterTimeoutOfTheRequestIsRespected(Entry entry) throws Throwable {
    isRetriedAfter(
        Duration.ZERO, entry, client(RetryPolicy.defaults()), get(Duration.ofSeconds(1)));
  }

  @ParameterizedTest
  @EnumSource
  void aLongerAttemptTimeoutIsRespected(Entry entry) throws Throwable {
    RetryPolicy policy = RetryPolicy.builder().attemptTimeout(DEFAULT.plusSeconds(10)).build();
    isNotCutAfter(DEFAULT.plusSeconds(5), entry, client(policy), bench.get());
  }
}
