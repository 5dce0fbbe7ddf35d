package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.RetryLoop;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The journal does not answer, and the caller does not wait for it: the end is noted later. */
class LeftNoteTest {
  private final AnsweringClient client = new AnsweringClient();
  private final CountDownLatch noting = new CountDownLatch(1);
  private final Queue<Runnable> held = new ArrayDeque<>();
  private final OperationJournal journal = AnsweringClient.journal(this::execute);
  private final RetryLoop<String> loop = client.loop(journal);
  private int tasks;
  private int holdsFrom = 2;

  /** Runs the claim at once, and holds what comes after it. */
  private void execute(Runnable task) {
    tasks++;
    if (tasks < holdsFrom) {
      task.run();
    } else {
      held.add(task);
      noting.countDown();
    }
  }

  private CompletableFuture<String> start() {
    CompletableFuture<String> end = new CompletableFuture<>();
    loop.start(
        Long.MAX_VALUE,
        (answer, thrown) -> {
          if (thrown == null) {
            end.complete(answer);
          } else {
            end.completeExceptionally(thrown);
          }
        });
    return end;
  }

  private CompletableFuture<Thread> run(CompletableFuture<String> end) {
    CompletableFuture<Thread> ended = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                end.complete(loop.run(Long.MAX_VALUE));
              } catch (Throwable thrown) {
                end.completeExceptionally(thrown);
              }
              ended.complete(Thread.interrupted() ? Thread.currentThread() : null);
            })
        .start();
    return ended;
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(AnsweringClient.PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private void awaitNote() throws InterruptedException {
    assertTrue(noting.await(AnsweringClient.PATIENCE.toSeconds(), TimeUnit.SECONDS));
  }

  /** The caller has the answer, the journal does not; then it gets it, and hands it back. */
  private void verifyNotedLater(CompletableFuture<String> end) throws Exception {
    assertEquals("answer", get(end));
    assertEquals(RetryReport.Effect.SUCCEEDED, client.saved().effect());
    assertFalse(client.saved().recorded());
    assertEquals(1, held.size());
    held.remove().run();
    holdsFrom = Integer.MAX_VALUE;
    assertEquals("answer", callAgain());
    assertTrue(client.saved().handedBack());
    assertEquals(1, client.sent.get());
  }

  private String callAgain() throws Exception {
    try {
      return client.loop(journal).run(Long.MAX_VALUE);
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  @Test
  void aCancellationEndsTheWaitForIt() throws Exception {
    CompletableFuture<String> end = start();
    awaitNote();
    assertFalse(end.isDone());
    loop.cancel();
    verifyNotedLater(end);
  }

  /** It comes when the attempt is over, and the loop does not know yet. */
  @Test
  void aCancellationDuringTheEndOfTheAttemptAllowsNoWait() throws Exception {
    client.atOutcome = loop::cancel;
    CompletableFuture<String> end = start();
    verifyNotedLater(end);
  }

  @Test
  void aBlockingCallIsCancelled() throws Exception {
    CompletableFuture<String> end = new CompletableFuture<>();
    CompletableFuture<Thread> ended = run(end);
    awaitNote();
    loop.cancel();
    assertNull(get(ended));
    verifyNotedLater(end);
  }

  @Test
  void theThreadOfABlockingCallIsInterrupted() throws Exception {
    CompletableFuture<Thread> caller = new CompletableFuture<>();
    client.atOutcome = () -> caller.complete(Thread.currentThread());
    CompletableFuture<String> end = new CompletableFuture<>();
    CompletableFuture<Thread> ended = run(end);
    awaitNote();
    get(caller).interrupt();
    assertEquals(get(caller), get(ended)); // it is still interrupted
    verifyNotedLater(end);
  }

  @Test
  void anotherThreadHasAnAsynchronousCallInterrupted() throws Exception {
    CompletableFuture<String> end = start();
    awaitNote();
    loop.interrupt();
    verifyNotedLater(end);
  }
}
