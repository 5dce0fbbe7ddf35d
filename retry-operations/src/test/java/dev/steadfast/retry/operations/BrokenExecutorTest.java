package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.RetryLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A journal whose executor throws what no executor should. */
class BrokenExecutorTest {
  private final IllegalStateException broken = new IllegalStateException("broken executor");
  private final AnsweringClient client = new AnsweringClient();
  private int tasks;

  /** Throws at the task with this number. */
  private Executor throwingAt(int number) {
    return task -> {
      if (++tasks == number) {
        throw broken;
      }
      task.run();
    };
  }

  private String call(int throwsAt, boolean async) throws Throwable {
    OperationJournal journal = AnsweringClient.journal(throwingAt(throwsAt));
    RetryLoop<String> loop = client.loop(journal);
    if (!async) {
      return loop.run(Long.MAX_VALUE);
    }
    CompletableFuture<String> future =
        loop.start(Long.MAX_VALUE, answer -> answer, UnaryOperator.identity());
    try {
      return future.join();
    } catch (CompletionException failed) {
      throw failed.getCause();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutAClaimNothingIsSent(boolean async) {
    assertSame(broken, assertThrows(IllegalStateException.class, () -> call(1, async)));
    assertEquals(0, client.sent.get());
    RetryReport report = RetryReport.of(broken).orElseThrow();
    assertEquals(StopReason.NOT_RETRYABLE, report.reason());
    assertEquals(0, report.attempts());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutANoteTheCallerGetsTheAnswer(boolean async) throws Throwable {
    assertEquals("answer", call(2, async));
    assertEquals(1, client.sent.get());
    assertEquals(RetryReport.Effect.SUCCEEDED, client.saved().effect());
    assertFalse(client.saved().recorded());
  }
}
