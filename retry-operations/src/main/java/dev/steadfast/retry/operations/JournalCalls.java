package dev.steadfast.retry.operations;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a journal. All that may block runs on the journal's executor.
 *
 * @param executor of the journal; null if nothing there blocks
 * @param plan of the operation
 */
record JournalCalls(@Nullable Executor executor, RetryPlan plan) {

  /**
   * Asks something, unless nobody waits for the answer any more.
   *
   * @param tooLate gets an answer for which nobody waits any more
   * @return the answer; cancelling it takes the question back
   */
  <T> CompletableFuture<T> ask(Callable<T> question, Consumer<T> tooLate) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Runnable asking =
        () -> {
          if (!answer.isDone()) {
            call(question, answer, tooLate);
          }
        };
    execute(asking, answer);
    return answer;
  }

  /**
   * Tells something, even if nobody waits for it any more.
   *
   * @param nanos how long to wait for the answer; 0 for not at all, unless it comes at once
   * @return what the journal says; a failure if that is not known by then
   */
  <T> CompletableFuture<T> tell(Callable<T> word, long nanos) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (executor != null && nanos == 0) {
      answer.cancel(false);
    } else if (executor != null) {
      bound(answer, nanos);
    }
    execute(() -> call(word, answer, late -> {}), answer);
    return answer;
  }

  private static <T> void call(Callable<T> call, CompletableFuture<T> answer, Consumer<T> tooLate) {
    T returned;
    try {
      returned = call.call();
    } catch (Throwable failed) {
      answer.completeExceptionally(failed);
      return;
    }
    if (!answer.complete(returned)) {
      tooLate.accept(returned);
    }
  }

  private void execute(Runnable task, CompletableFuture<?> answer) {
    try {
      if (executor == null) {
        task.run();
      } else {
        executor.execute(task);
      }
    } catch (RejectedExecutionException noThread) {
      String message = "no thread takes the work of the journal";
      answer.completeExceptionally(
          new RefusedException(OperationJournal.Refusal.UNREACHABLE, message, noThread));
    } catch (Throwable broken) { // the executor is the user's
      answer.completeExceptionally(broken);
    }
  }

  private void bound(CompletableFuture<?> answer, long nanos) {
    try {
      RetryScheduler.Task timer = plan.timers().schedule(nanos, () -> answer.cancel(false));
      answer.whenComplete((told, failed) -> timer.cancel());
    } catch (RuntimeException noTimer) {
      answer.completeExceptionally(noTimer); // or a caller might wait for ever
    }
  }

  /**
   * Goes on where a call is over: on the calling thread if nothing blocks, and else on the
   * library's own threads, because the executor is the journal's.
   *
   * @param next gets what the call returned or threw; it must not throw
   */
  <T> void then(CompletableFuture<T> call, BiConsumer<@Nullable T, @Nullable Throwable> next) {
    if (executor == null) {
      call.whenComplete(next);
    } else {
      call.whenComplete((told, failed) -> onOwnThread(() -> next.accept(told, failed)));
    }
  }

  private void onOwnThread(Runnable task) {
    AtomicBoolean taken = new AtomicBoolean();
    Runnable once =
        () -> {
          if (taken.compareAndSet(false, true)) {
            task.run();
          }
        };
    try {
      plan.environment().scheduler().execute(once);
    } catch (Throwable noThread) { // the scheduler may be the user's
      once.run(); // here, rather than never
    }
  }
}
