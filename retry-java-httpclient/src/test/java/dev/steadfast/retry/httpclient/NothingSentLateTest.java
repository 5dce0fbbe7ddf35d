package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client may be slow to get to the wire, as with a slow DNS. Nothing is sent after the end. */
class NothingSentLateTest {
  private static final int ROUNDS = 40;
  private static final Duration TOTAL = Duration.ofSeconds(5);

  @RegisterExtension private final Bench bench = new Bench();

  /** Blocks a thread that asks for a proxy. Clients do that before they connect. */
  private static final class SlowSelector extends ProxySelector {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);

    @Override
    public List<Proxy> select(URI uri) {
      asked.countDown();
      try {
        answer.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      return List.of(Proxy.NO_PROXY);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
  }

  @ParameterizedTest
  @EnumSource
  void afterTheTotalTimeout(Entry entry) throws Throwable {
    for (int i = 0; i < ROUNDS; i++) {
      FakeTime time = new FakeTime();
      SlowSelector slow = new SlowSelector();
      RetryPolicy policy = RetryPolicy.builder().maxAttempts(1).totalTimeout(TOTAL).build();
      HttpClient client =
          RetryingHttpClient.wrap(
              Bench.plain().proxy(slow).build(),
              HttpRetry.builder().policy(policy).environment(time.environment()).build());
      try (UnderWay<String> call =
          UnderWay.call(entry, client, bench.put("late"), BodyHandlers.ofString())) {
        assertTrue(slow.asked.await(10, TimeUnit.SECONDS));
        time.advance(TOTAL);
        slow.answer.countDown();
        assertThrows(HttpTimeoutException.class, call::outcome);
      }
    }
    bench.server.awaitNoBusyConnections(Bench.PATIENCE);
    Bench.plain().build().send(bench.put("last"), BodyHandlers.ofString());
    assertEquals(
        List.of("last"), bench.server.requests().stream().map(Received::bodyText).toList());
  }
}
