package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An orderly end lets operations finish, with their waits; the other one ends them at once. */
class ClosingTest {
  private static final Duration WAIT = Duration.ofSeconds(2);

  private final Bench bench = new Bench();
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final RetryingHttpClient client = bench.client(bench.retryWithWaits());

  @AfterEach
  void close() {
    callers.shutdownNow();
    bench.close();
  }

  /** A call that waits for its second attempt. */
  private Future<HttpResponse<String>> waiting(boolean blocking) throws InterruptedException {
    bench.server.enqueue(
        Reply.status(503).header("Retry-After", Long.toString(WAIT.toSeconds())),
        Reply.status(200).body("done"));
    Future<HttpResponse<String>> call =
        blocking
            ? callers.submit(() -> client.send(bench.get(), BodyHandlers.ofString()))
            : client.sendAsync(bench.get(), BodyHandlers.ofString());
    bench.awaitWait(WAIT);
    return call;
  }

  private static <T> T soon(Future<T> future) throws Exception {
    return future.get(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOperationThatWaitsFinishesWithinClose(boolean blocking) throws Exception {
    Future<HttpResponse<String>> call = waiting(blocking);
    client.shutdown();
    Future<?> closing = callers.submit(client::close);

    IOException refused =
        assertThrows(IOException.class, () -> client.send(bench.get(), BodyHandlers.discarding()));
    assertEquals("closed", refused.getMessage());
    CompletableFuture<?> later = client.sendAsync(bench.get(), BodyHandlers.discarding());
    assertThrows(CompletionException.class, later::join);
    assertFalse(closing.isDone());
    assertFalse(client.isTerminated());
    assertFalse(client.awaitTermination(Duration.ofMillis(1)));
    bench.time.advance(WAIT);

    assertEquals("done", soon(call).body());
    soon(closing);
    assertEquals(2, bench.server.requests().size());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shuttingDownNowEndsTheWait(boolean blocking) throws Exception {
    Future<HttpResponse<String>> call = waiting(blocking);

    client.shutdownNow();

    ExecutionException ended = assertThrows(ExecutionException.class, () -> soon(call));
    assertInstanceOf(IOException.class, ended.getCause());
    assertEquals("shutdownNow", ended.getCause().getMessage());
    assertEquals(1, bench.server.requests().size());
    client.close();
  }

  @Test
  void anInterruptOfCloseEndsOperationsAtOnce() throws Exception {
    Future<HttpResponse<String>> call = waiting(false);
    Future<Boolean> closing =
        callers.submit(() -> {
          Thread.currentThread().interrupt();
          client.close();
          return Thread.interrupted();
        });

    assertTrue(soon(closing), "the interrupt is kept");
    assertThrows(ExecutionException.class, () -> soon(call));
  }

  @Test
  void aCallbackMayCloseTheClient() throws Exception {
    CompletableFuture<Void> closed =
        client
            .sendAsync(bench.get(), BodyHandlers.ofString())
            .thenAccept(done -> client.shutdown());
    soon(closed);
    client.close();
  }

  @Test
  void closingAViewClosesNothing() throws Exception {
    RetryingHttpClient view = client.with(RetryOptions.builder().name("report").build());

    view.close();
    view.shutdown();
    view.shutdownNow();

    assertFalse(view.isTerminated());
    assertEquals(200, view.send(bench.get(), BodyHandlers.discarding()).statusCode());
    assertEquals(200, client.send(bench.get(), BodyHandlers.discarding()).statusCode());
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void theEndIsKnown() throws Exception {
    client.send(bench.get(), BodyHandlers.discarding());
    client.close();
    assertTrue(client.isTerminated());
    assertTrue(client.awaitTermination(Duration.ZERO));
  }

  @Test
  void aViewOfAViewKeepsWhatItDoesNotSet() throws Exception {
    RetryingHttpClient keyed =
        client.with(RetryOptions.builder().idempotencyKey("order-1").build());

    keyed
        .with(RetryOptions.builder().name("pay").build())
        .send(bench.post("a"), BodyHandlers.discarding());

    assertEquals(
        List.of("order-1"),
        bench.server.requests().stream()
            .map(each -> each.header("Idempotency-Key").orElse("none"))
            .toList());
  }
}
