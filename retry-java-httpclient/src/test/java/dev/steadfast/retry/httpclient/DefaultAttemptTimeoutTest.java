package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.scenarios.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An attempt that hangs is given up after 10 s, unless the caller has said how long it may take.
 */
class DefaultAttemptTimeoutTest {
  private static final Duration DEFAULT = Duration.ofSeconds(10);
  private static final Duration SOON = Duration.ofSeconds(20);

  private final Bench bench = new Bench();
  private final CountDownLatch answer = new CountDownLatch(1);

  @AfterEach
  void close() {
    answer.countDown();
    bench.close();
  }

  private HttpClient client(RetryPolicy policy) {
    HttpRetry retry =
        HttpRetry.builder().policy(policy).environment(bench.time.environment()).build();
    return RetryingHttpClient.wrap(Bench.plain().build(), retry);
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

  @ParameterizedTest
  @EnumSource
  void aGetThatHangsIsRetried(Entry entry) throws Throwable {
    isRetriedAfter(DEFAULT, entry, client(RetryPolicy.defaults()), bench.get());
  }

  @ParameterizedTest
  @EnumSource
  void aGetThatHangsIsRetriedWithoutTotalTimeout(Entry entry) throws Throwable {
    RetryPolicy policy = RetryPolicy.builder().noTotalTimeout().build();
    isRetriedAfter(DEFAULT, entry, client(policy), bench.get());
  }

  @ParameterizedTest
  @EnumSource
  void aGetIsNotCutBefore(Entry entry) throws Throwable {
    isNotCutAfter(DEFAULT.minusMillis(1), entry, client(RetryPolicy.defaults()), bench.get());
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

  @ParameterizedTest
  @EnumSource
  void aShorterAttemptTimeoutIsRespected(Entry entry) throws Throwable {
    RetryPolicy policy = RetryPolicy.builder().attemptTimeout(Duration.ofSeconds(2)).build();
    isRetriedAfter(Duration.ofSeconds(2), entry, client(policy), bench.get());
  }
}
