package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who ends an operation ends its wait, its attempt, and all that would follow. */
class CancellationTest {
  @RegisterExtension private final Bench bench = new Bench();
  private final BlockingQueue<RetryReport> reports = new LinkedBlockingQueue<>();

  /** Waits stay waits here; the listener tells the end, which the future of the caller hides. */
  private RetryingHttpClient client() {
    return bench.client(bench.retryWithWaits().listener(ends()));
  }

  private RetryListener ends() {
    return new RetryListener() {
      @Override
      public void ended(OperationInfo operation, RetryReport report) {
        reports.add(report);
      }
    };
  }

  private RetryReport report() throws InterruptedException {
    RetryReport report = reports.poll(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertTrue(report != null, "the operation did not end");
    return report;
  }

  /** Ways to give up on a future. */
  enum Way {
    CANCEL,
    CANCEL_WITHOUT_INTERRUPT,
    CANCEL_A_DERIVED_ONE,
    CANCEL_ONE_DERIVED_FROM_THAT,
    CANCEL_A_COPY,
    COMPLETE,
    COMPLETE_EXCEPTIONALLY,
    TIME_OUT;

    void giveUp(CompletableFuture<HttpResponse<String>> future) {
      switch (this) {
        case CANCEL -> assertTrue(future.cancel(true));
        case CANCEL_WITHOUT_INTERRUPT -> assertTrue(future.cancel(false));
        case CANCEL_A_DERIVED_ONE -> assertTrue(future.thenApply(each -> each).cancel(true));
        case CANCEL_ONE_DERIVED_FROM_THAT ->
            assertTrue(future.thenApply(each -> each).thenAccept(each -> {}).cancel(true));
        case CANCEL_A_COPY -> assertTrue(future.copy().cancel(true));
        case COMPLETE -> assertTrue(future.complete(null));
        case COMPLETE_EXCEPTIONALLY ->
            assertTrue(future.completeExceptionally(new IllegalStateException("mine")));
        case TIME_OUT -> future.orTimeout(1, TimeUnit.MILLISECONDS);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void givingUpEndsABodyThatIsBeingCollected(Way way) throws Exception {
    CountDownLatch collecting = new CountDownLatch(1);
    bench.server.defaultReply(Reply.stalledBody(200, 100, "abc"));
    CompletableFuture<HttpResponse<String>> future =
        client()
            .sendAsync(
                bench.put("a"),
                info -> {
                  collecting.countDown();
                  return BodyHandlers.ofString().apply(info);
                });
    assertTrue(collecting.await(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS));

    way.giveUp(future);

    assertEquals(StopReason.CANCELLED, report().reason());
    bench.server.awaitNoOpenConnections(Bench.PATIENCE);
    bench.awaitNothingScheduled();
  }

  @Test
  void cancelledFutureSaysSo() {
    bench.server.defaultReply(Reply.stallAfterRequest());
    CompletableFuture<HttpResponse<String>> future =
        client().sendAsync(bench.get(), BodyHandlers.ofString());
    assertTrue(future.cancel(true));
    assertTrue(future.isCancelled());
    assertThrows(CancellationException.class, future::join);
  }

  @Test
  void callbacksOfAParentDoNotRunOnTheThreadThatCancelsAChild() throws Exception {
    bench.server.defaultReply(Reply.stallAfterRequest());
    CompletableFuture<HttpResponse<String>> future =
        client().sendAsync(bench.get(), BodyHandlers.ofString());
    bench.server.awaitRequests(1, Bench.PATIENCE);
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    future.whenComplete((response, thrown) -> ran.complete(Thread.currentThread()));

    future.thenApply(HttpResponse::body).cancel(true);

    assertNotSame(Thread.currentThread(), ran.get(20, TimeUnit.SECONDS));
    Throwable thrown = assertThrows(CancellationException.class, future::join);
    assertEquals(StopReason.CANCELLED, RetryReport.of(thrown).orElseThrow().reason());
  }

  @Test
  void callbacksAfterACancelRunOnTheClientsExecutor() throws Exception {
    bench.server.defaultReply(Reply.stallAfterRequest());
    ExecutorService executor = Executors.newCachedThreadPool(task -> new Thread(task, "mine"));
    try {
      HttpClient plain = Bench.plain().executor(executor).build();
      RetryingHttpClient client =
          RetryingHttpClient.wrap(
              plain, HttpRetry.builder().environment(bench.time.environment()).build());
      CompletableFuture<HttpResponse<String>> future =
          client.sendAsync(bench.get(), BodyHandlers.ofString());
      CompletableFuture<String> ran = new CompletableFuture<>();
      future.whenComplete((response, thrown) -> ran.complete(Thread.currentThread().getName()));
      bench.server.awaitRequests(1, Bench.PATIENCE);

      future.thenApply(HttpResponse::body).cancel(true);

      assertEquals("mine", ran.get(20, TimeUnit.SECONDS));
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void responseThatComesTooLateIsClosed() throws Exception {
    // The caller completes the future while the client hands the response over. The answer comes
    // after sendAsync has returned, so that a thread of the client tells the end.
    CountDownLatch returned = new CountDownLatch(1);
    bench.server.defaultReply(Reply.stalledBody(200, 100, "abc").delayUntil(returned));
    CompletableFuture<CompletableFuture<HttpResponse<InputStream>>> started =
        new CompletableFuture<>();
    HttpRetry retry =
        bench
            .retry()
            .listener(
                new RetryListener() {
                  @Override
                  public void ended(OperationInfo operation, RetryReport report) {
                    started.join().complete(null);
                  }
                })
            .build();
    CompletableFuture<HttpResponse<InputStream>> future =
        RetryingHttpClient.wrap(Bench.plain().build(), retry)
            .sendAsync(bench.get(), BodyHandlers.ofInputStream());
    started.complete(future);
    returned.countDown();

    assertEquals(null, future.get(20, TimeUnit.SECONDS));
    bench.server.awaitNoOpenConnections(Bench.PATIENCE);
  }

  @Test
  void cancellingAFutureThatIsCompleteChangesNothing() throws Exception {
    CompletableFuture<HttpResponse<String>> future =
        client().sendAsync(bench.get(), BodyHandlers.ofString());
    HttpResponse<String> response = future.get(20, TimeUnit.SECONDS);
    assertFalse(future.cancel(true));
    assertSame(response, future.join());
    assertEquals(StopReason.ACCEPTED, report().reason());
  }

  @Test
  void attemptThatSomebodyElseCancelsEndsTheOperation() throws Exception {
    bench.server.defaultReply(Reply.stallAfterRequest());
    CancellingClient plain = new CancellingClient(Bench.plain().build());
    CompletableFuture<HttpResponse<String>> future =
        RetryingHttpClient.wrap(plain, bench.retry().listener(ends()).build())
            .sendAsync(bench.put("a"), BodyHandlers.ofString());
    bench.server.awaitRequests(1, Bench.PATIENCE);

    plain.cancelAll();

    assertEquals(StopReason.CANCELLED, report().reason());
    assertThrows(CancellationException.class, () -> Entry.outcome(future));
    assertEquals(1, bench.server.requests().size());
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void shuttingTheClientDownEndsTheOperation() throws Exception {
    bench.server.defaultReply(Reply.stallAfterRequest());
    RetryingHttpClient client = client();
    CompletableFuture<HttpResponse<String>> future =
        client.sendAsync(bench.put("a"), BodyHandlers.ofString());
    bench.server.awaitRequests(1, Bench.PATIENCE);

    client.shutdownNow();

    assertEquals(StopReason.CANCELLED, report().reason());
    assertThrows(IOException.class, () -> Entry.outcome(future));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void aDelegateThatItsOwnerClosesIsNotAskedAgain() throws Exception {
    bench.server.defaultReply(Reply.status(503).header("Retry-After", "5"));
    HttpClient delegate = Bench.plain().build();
    RetryingHttpClient client =
        RetryingHttpClient.wrap(delegate, bench.retryWithWaits().listener(ends()).build());
    CompletableFuture<HttpResponse<String>> future =
        client.sendAsync(bench.get(), BodyHandlers.ofString());
    bench.awaitWait(Duration.ofSeconds(5));

    NewerMethods.close(delegate);
    bench.time.advance(Duration.ofSeconds(5));

    assertThrows(IOException.class, () -> Entry.outcome(future));
    RetryReport report = report();
    assertEquals(StopReason.REJECTED, report.reason());
    assertEquals(2, report.attempts());
  }

  // ---- interrupts

  private FutureTask<Throwable> sending(RetryingHttpClient client, Thread[] thread) {
    FutureTask<Throwable> task =
        new FutureTask<>(() -> {
          Throwable thrown =
              assertThrows(
                  InterruptedException.class,
                  () -> client.send(bench.put("a"), BodyHandlers.ofString()));
          assertFalse(Thread.currentThread().isInterrupted(), "as with the JDK's send");
          return thrown;
        });
    thread[0] = new Thread(task, "sender");
    thread[0].start();
    return task;
  }

  @Test
  void interruptEndsTheAttempt() throws Exception {
    bench.server.defaultReply(Reply.stallAfterRequest());
    Thread[] thread = new Thread[1];
    FutureTask<Throwable> task = sending(client(), thread);
    bench.server.awaitRequests(1, Bench.PATIENCE);

    thread[0].interrupt();

    RetryReport report = RetryReport.of(task.get(20, TimeUnit.SECONDS)).orElseThrow();
    assertEquals(StopReason.INTERRUPTED, report.reason());
    assertTrue(report.serverMayHaveActed());
    bench.server.awaitNoOpenConnections(Bench.PATIENCE);
    bench.awaitNothingScheduled();
  }

  @Test
  void interruptedThreadSendsNothing() {
    Thread.currentThread().interrupt();
    assertThrows(
        InterruptedException.class, () -> client().send(bench.get(), BodyHandlers.ofString()));
    assertFalse(Thread.currentThread().isInterrupted());
    assertEquals(0, bench.server.requests().size());
  }

  @Test
  void responseThatBeatsTheInterruptIsDelivered() throws Exception {
    // The listener interrupts the caller when the outcome is certain and not yet delivered.
    Thread caller = Thread.currentThread();
    HttpRetry retry =
        bench
            .retry()
            .listener(
                new RetryListener() {
                  @Override
                  public void ended(OperationInfo operation, RetryReport report) {
                    caller.interrupt();
                  }
                })
            .build();
    HttpResponse<String> response =
        RetryingHttpClient.wrap(Bench.plain().build(), retry)
            .send(bench.get(), BodyHandlers.ofString());
    assertEquals("ok", response.body());
    assertTrue(Thread.interrupted(), "the flag is kept for who looks next");
  }
}
