package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server, virtual time, and clients for both. Waits between attempts take no time. */
final class Bench implements AutoCloseable, AfterEachCallback {
  /** For what happens at once or never; a test that gets here has failed. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  final ScriptedServer server = ScriptedServer.start();
  final FakeTime time = new FakeTime();
  private final Timers timers = new Timers();

  static HttpClient.Builder plain() {
    // HTTP/1.1, as the server knows nothing else and would see an upgrade header.
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
  }

  HttpRetry.Builder retry() {
    return HttpRetry.builder().environment(time.environment()).listener(time.skipWaits());
  }

  /** For tests that act while a call waits for its next attempt. */
  HttpRetry.Builder retryWithWaits() {
    return HttpRetry.builder().environment(time.environment().withScheduler(timers));
  }

  /** Blocks until a wait of this length is under way. */
  void awaitWait(Duration delay) throws InterruptedException {
    long scheduled = 0;
    while (scheduled != delay.toNanos()) {
      Long next = timers.delays.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertNotNull(next, "no wait of " + delay);
      scheduled = next;
    }
  }

  /** Blocks until no timer is left; an operation may end a moment before its timers do. */
  void awaitNothingScheduled() {
    long patience = System.nanoTime() + PATIENCE.toNanos();
    while (time.pending() > 0) {
      assertTrue(System.nanoTime() < patience, () -> time.pending() + " timers are left");
      Thread.onSpinWait();
    }
  }

  /** Virtual time that tells what was scheduled. */
  private final class Timers implements RetryScheduler {
    private final BlockingQueue<Long> delays = new LinkedBlockingQueue<>();

    @Override
    public boolean isVirtual() {
      return true;
    }

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      Task scheduled = time.schedule(delayNanos, task);
      delays.add(delayNanos);
      return scheduled;
    }

    @Override
    public void execute(Runnable task) {
      time.execute(task);
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
      delays.add(nanos);
      return time.await(wake, nanos);
    }
  }

  RetryingHttpClient client() {
    return client(retry());
  }

  RetryingHttpClient client(HttpRetry.Builder retry) {
    return RetryingHttpClient.wrap(plain().build(), retry.build());
  }

  HttpRequest get() {
    return HttpRequest.newBuilder(server.uri("/things")).build();
  }

  /** A request that may be sent again, and that the JDK does not resend by itself. */
  HttpRequest put(String body) {
    return HttpRequest.newBuilder(server.uri("/things")).PUT(BodyPublishers.ofString(body)).build();
  }

  /** A request that may be sent once. */
  HttpRequest post(String body) {
    return HttpRequest.newBuilder(server.uri("/things"))
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  @Override
  public void close() {
    server.close();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    close();
  }
}
