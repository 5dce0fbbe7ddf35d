package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The time that it takes to get rid of a response is part of the wait that follows. */
class DiscardTimeTest {
  private static final Duration WAIT = Duration.ofSeconds(10);

  private final FakeTime time = new FakeTime();
  private final CountDownLatch decided = new CountDownLatch(1);
  private final CountDownLatch waiting = new CountDownLatch(1);
  @AutoClose private Peer peer;

  @BeforeEach
  void listen() throws IOException {
    peer = new Peer();
  }

  /** The virtual time, which tells when the wait between the attempts begins. */
  private final class Waits implements RetryScheduler {
    private static final Duration SHORTER = Duration.ofMillis(50);

    @Override
    public boolean isVirtual() {
      return true;
    }

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      Task scheduled = time.schedule(delayNanos, task);
      begins(delayNanos);
      return scheduled;
    }

    @Override
    public void execute(Runnable task) {
      time.execute(task);
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
      begins(nanos);
      return time.await(wake, nanos);
    }

    // Shorter than the timers of attempts, by the time that discarding takes, and longer than that.
    private void begins(long nanos) {
      if (nanos > WAIT.toNanos() / 2 && nanos < WAIT.minus(SHORTER).toNanos()) {
        waiting.countDown();
      }
    }
  }

  /** A wait that begins after the time has moved would be too long. */
  private void awaitWait() throws InterruptedException {
    assertTrue(waiting.await(10, TimeUnit.SECONDS));
    while (time.pending() != 1) {
      Thread.onSpinWait();
    }
  }

  private HttpClient client(RetryPolicy.Builder policy) {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(policy.maxAttempts(2).backoff(Backoff.fixed(WAIT)).build())
            .environment(time.environment().withScheduler(new Waits()))
            .listener(
                new RetryListener() {
                  @Override
                  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
                    decided.countDown();
                  }
                })
            .build();
    return RetryingHttpClient.wrap(Bench.plain().build(), retry);
  }

  /** Answers 503 with a body that does not end, until the client has had enough of it. */
  private void slowRefusal() throws IOException, InterruptedException {
    peer.acceptRequest();
    peer.sendHead(503);
    peer.send("please");
    assertTrue(decided.await(10, TimeUnit.SECONDS));
    while (!peer.leftByClient()) {
      time.advance(Duration.ofMillis(1));
      assertTrue(time.nanos() < WAIT.toNanos() / 2, "the client stops to read");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theWaitIsShorterByIt(Entry entry) throws Throwable {
    HttpRequest request = HttpRequest.newBuilder(peer.uri()).build();
    HttpClient client = client(RetryPolicy.builder().noTotalTimeout());
    try (UnderWay<String> call = UnderWay.call(entry, client, request, BodyHandlers.ofString())) {
      slowRefusal();
      awaitWait();
      time.advance(WAIT.plusMillis(10).minusNanos(time.nanos()));
      peer.acceptRequest();
      peer.sendEmptyAnswer(200);
      assertEquals(200, call.outcome().statusCode());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWaitThatWasWorthItStaysWithinTheTotalTimeout(Entry entry) throws Throwable {
    HttpRequest request = HttpRequest.newBuilder(peer.uri()).build();
    HttpClient client =
        client(RetryPolicy.builder().totalTimeout(WAIT.plus(Duration.ofMillis(20))));
    try (UnderWay<String> call = UnderWay.call(entry, client, request, BodyHandlers.ofString())) {
      slowRefusal();
      awaitWait();
      time.advance(WAIT.plusMillis(10).minusNanos(time.nanos()));
      peer.acceptRequest();
      peer.sendEmptyAnswer(200);
      assertEquals(200, call.outcome().statusCode());
    }
  }
}
