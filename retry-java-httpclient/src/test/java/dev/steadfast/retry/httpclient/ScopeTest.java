package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Propagation;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.tck.Reply;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that are made for a request which imposes something, or within a layer that retries. */
class ScopeTest {
  private final Bench bench = new Bench();

  @AfterEach
  void close() {
    assertNull(CallContext.current());
    bench.awaitNothingScheduled();
    bench.close();
  }

  private RetryScope scope(Map<String, String> headers) {
    ScopeOptions options = ScopeOptions.builder().environment(bench.time.environment()).build();
    return RetryScope.enter(headers::get, null, options);
  }

  private RetryScope told() {
    return scope(Map.of("Do-Not-Retry", "true"));
  }

  private HttpRetry.Builder seconds() {
    return bench
        .retry()
        .policy(
            RetryPolicy.builder()
                .maxAttempts(9)
                .backoff(Backoff.fixed(Duration.ofSeconds(1)))
                .noTotalTimeout()
                .build());
  }

  private HttpResponse<String> put(Entry entry, RetryingHttpClient client) throws Throwable {
    return entry.call(client, bench.put("x"), BodyHandlers.ofString());
  }

  /** Later attempts run on the scheduler's threads. */
  @Test
  void aCallKeepsTheScopeThatItWasSentIn() throws Exception {
    RetryingHttpClient client =
        bench.client(
            bench
                .retryWithWaits()
                .policy(seconds().build().policy())
                .propagation(Propagation.to(origin())));
    bench.server.enqueue(Reply.status(503), Reply.status(503), Reply.status(200));
    CompletableFuture<HttpResponse<String>> sent;
    RetryScope made = scope(Map.of("X-Request-Timeout-Ms", "9000"));
    sent = client.sendAsync(bench.put("x"), BodyHandlers.ofString());
    made.close();
    try (RetryScope other = told()) {
      for (int wait = 0; wait < 2; wait++) {
        bench.awaitWait(Duration.ofSeconds(1));
        bench.time.advance(Duration.ofSeconds(1));
        assertSame(other, RetryScope.current().orElseThrow());
      }
      assertEquals(200, sent.get(20, TimeUnit.SECONDS).statusCode());
    }
    assertEquals(List.of("9000", "8000", "7000"), received("X-Request-Timeout-Ms"));
    assertEquals(List.of("-", "-", "-"), received("Do-Not-Retry"));
  }

  // What goes out.

  private String origin() {
    URI uri = bench.server.uri("/");
    return uri.getScheme() + "://" + uri.getAuthority();
  }

  private List<String> received(String header) {
    return bench.server.requests().stream().map(each -> each.header(header).orElse("-")).toList();
  }

  // Layers.

  private Retrier retrier(RetryBudget budget) {
    return Retrier.builder()
        .environment(bench.time.environment())
        .listener(bench.time.skipWaits())
        .budget(budget)
        .retryResults(
            each -> each instanceof HttpResponse<?> response && response.statusCode() == 503)
        .build();
  }

  @ParameterizedTest
  @EnumSource
  void aRetrierAroundRetriesAlone(Entry entry) throws Exception {
    RetryingHttpClient client = bench.client();
    bench.server.defaultReply(Reply.status(503));
    HttpResponse<String> got = retrier(RetryBudget.unlimited()).call(() -> checked(entry, client));
    assertEquals(503, got.statusCode());
    assertEquals(3, bench.server.requests().size());
    assertEquals(3, JdkReports.of(checked(entry, client)).attempts());
  }

  @Test
  void anAsynchronousRetrierAroundRetriesAlone() throws Exception {
    RetryingHttpClient client = bench.client();
    bench.server.defaultReply(Reply.status(503));
    CompletableFuture<HttpResponse<String>> end =
        retrier(RetryBudget.unlimited())
            .callAsync(() -> client.sendAsync(bench.put("x"), BodyHandlers.ofString()));
    assertEquals(503, end.get(20, TimeUnit.SECONDS).statusCode());
    assertEquals(3, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aBudgetThatIsSharedIsToldByTheOuterLayer(Entry entry) throws Exception {
    Till till = new Till();
    RetryingHttpClient client = bench.client(bench.retry().budget(till));
    bench.server.enqueue(Reply.status(503), Reply.status(503), Reply.status(200));
    assertEquals(200, retrier(till).call(() -> checked(entry, client)).statusCode());
    assertEquals(2, till.taken.get());
    assertEquals(1, till.succeeded.get());
    assertEquals(1, till.ended.get());
  }

  private HttpResponse<String> checked(Entry entry, RetryingHttpClient client) throws Exception {
    try {
      return put(entry, client);
    } catch (Exception | Error thrown) {
      throw thrown;
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  /** A worker of the common pool that waited for a future would run its tasks meanwhile. */
  @Test
  void noOtherTaskRunsInTheScopeOfAThreadThatWaits() throws Exception {
    int tasks = 20;
    CountDownLatch ran = new CountDownLatch(tasks);
    AtomicInteger inScope = new AtomicInteger();
    RetryingHttpClient client = bench.client();
    bench.server.enqueue(Reply.status(200).delayUntil(ran)); // other workers get to all of them
    Callable<HttpResponse<String>> call =
        () -> {
          try (RetryScope scope = told()) {
            assertTrue(scope.doNotRetry());
            for (int i = 0; i < tasks; i++) {
              CompletableFuture.runAsync(() -> {
                inScope.addAndGet(RetryScope.current().isPresent() ? 1 : 0);
                ran.countDown();
              });
            }
            return client.send(bench.get(), BodyHandlers.ofString());
          }
        };

    assertEquals(
        200, ForkJoinPool.commonPool().submit(call).get(30, TimeUnit.SECONDS).statusCode());

    assertEquals(0, inScope.get());
  }

  /** A budget that counts. */
  private static final class Till implements RetryBudget, RetryBudget.Account {
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger succeeded = new AtomicInteger();

    @Override
    public Account account(String origin) {
      return this;
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      taken.incrementAndGet();
      return Withdrawal.of(1);
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      taken.decrementAndGet();
    }

    @Override
    public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
      ended.incrementAndGet();
      succeeded.addAndGet(outcome == Outcome.SUCCEEDED ? 1 : 0);
    }
  }
}
