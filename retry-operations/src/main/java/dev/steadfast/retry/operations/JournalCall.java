package dev.steadfast.retry.operations;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A call of a journal as an operation of its own, so that it has a deadline, waits between polls
 * and can be cancelled like any other. What may block runs on the journal's executor.
 *
 * @param <T> what the call returns
 */
final class JournalCall<T> implements RetryTransport<T> {
  private static final Evidence NOTHING_SENT =
      Evidence.of(Evidence.Requests.of(Disposition.UNSENT, Evidence.Safety.UNPROCESSED), -1, 0);
  private static final Outcome DONE = new Outcome(Verdict.acceptedWithoutServer(), NOTHING_SENT);
  private static final Outcome AGAIN =
      new Outcome(Verdict.retryable(FailureKind.OTHER), NOTHING_SENT);
  private static final Outcome FAILED =
      new Outcome(Verdict.permanent(StopReason.NOT_RETRYABLE), NOTHING_SENT);
  private static final Outcome INTERRUPTED =
      new Outcome(Verdict.permanent(StopReason.INTERRUPTED), NOTHING_SENT);

  private final Callable<T> call;
  private final Predicate<T> again;
  private final Consumer<T> tooLate;
  private final Where where;
  private final boolean always; // runs even if nobody waits for it
  private volatile @Nullable Throwable endOfInterrupt; // what the interrupted caller is told

  /**
   * The place where a call runs, and who is told.
   *
   * @param client the transport of the operation that the call belongs to
   * @param executor runs what may block; null if nothing does
   * @param scheduler takes the result back to the library's own threads
   * @param blocking whether the calling thread waits for the result
   */
  record Where(
      RetryTransport<?> client,
      @Nullable Executor executor,
      RetryScheduler scheduler,
      boolean blocking) {}

  // One parameter per field; only the factories below call it.
  private JournalCall(
      Callable<T> call, Predicate<T> again, Consumer<T> tooLate, Where where, boolean always) {
    this.call = call;
    this.again = again;
    this.tooLate = tooLate;
    this.where = where;
    this.always = always;
  }

  /**
   * A question, which is given up with the operation.
   *
   * @param call asks
   * @param again which results are asked for again after a wait
   * @param tooLate gets a result for which nobody waits any more
   * @param where where it runs
   */
  static <T> JournalCall<T> asking(
      Callable<T> call, Predicate<T> again, Consumer<T> tooLate, Where where) {
    return new JournalCall<>(call, again, tooLate, where, false);
  }

  /**
   * Tells the journal something. This runs even if nobody waits for it any more. An interrupt of
   * the waiting thread is kept for its caller.
   *
   * @param call tells
   * @param where where it runs
   */
  static <T> JournalCall<T> telling(Callable<T> call, Where where) {
    return new JournalCall<>(call, again -> false, late -> {}, where, true);
  }

  @Override
  public void start(Attempt<T> attempt) throws Exception {
    if (!attempt.begin(attempt.info())) {
      return;
    }
    Executor executor = where.executor();
    if (executor == null) {
      attempt.complete(call.call(), null);
    } else if (where.blocking()) {
      awaitCall(attempt, executor);
    } else {
      execute(executor, () -> callElsewhere(attempt));
    }
  }

  private static void execute(Executor executor, Runnable task) throws RefusedException {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException noThread) {
      String message = "no thread takes the work of the journal";
      throw new RefusedException(OperationJournal.Refusal.UNREACHABLE, message, noThread);
    }
  }

  private void awaitCall(Attempt<T> attempt, Executor executor) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    attempt.onCancel(() -> result.cancel(false));
    execute(executor, () -> callFor(result));
    try {
      attempt.complete(awaited(result), null);
    } catch (ExecutionException failed) {
      attempt.complete(null, failed.getCause());
    } catch (CancellationException outOfTime) {
      attempt.complete(null, outOfTime); // the attempt is over already
    } catch (InterruptedException interrupted) {
      if (!result.cancel(false) && !result.isCompletedExceptionally()) {
        tooLate.accept(result.join()); // it came together with the interrupt
      }
      Throwable told = where.client().failure(End.INTERRUPTED, interrupted);
      endOfInterrupt = told;
      attempt.complete(null, told);
    }
  }

  private T awaited(CompletableFuture<T> result) throws ExecutionException, InterruptedException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return result.get();
        } catch (InterruptedException whileWaiting) {
          if (!always) {
            throw whileWaiting;
          }
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void callFor(CompletableFuture<T> result) {
    if (result.isDone() && !always) {
      return;
    }
    T returned;
    try {
      returned = call.call();
    } catch (Throwable failed) {
      result.completeExceptionally(failed);
      return;
    }
    if (!result.complete(returned)) {
      tooLate.accept(returned);
    }
  }

  // The result is handed to the library's own threads, because the executor is the journal's.
  private void callElsewhere(Attempt<T> attempt) {
    if (attempt.stopped() && !always) {
      return;
    }
    T returned = null;
    Throwable failure = null;
    try {
      returned = call.call();
    } catch (Throwable failed) {
      failure = failed;
    }
    T result = returned;
    Throwable thrown = failure;
    try {
      where.scheduler().execute(() -> attempt.complete(result, thrown));
    } catch (RejectedExecutionException noThread) {
      attempt.complete(result, thrown); // here, rather than never
    }
  }

  @Override
  public Outcome outcome(T result) {
    return again.test(result) ? AGAIN : DONE;
  }

  @Override
  public Outcome outcome(Throwable failure) {
    return failure.equals(endOfInterrupt) ? INTERRUPTED : FAILED;
  }

  @Override
  public Evidence evidence() {
    return NOTHING_SENT;
  }

  @Override
  public void discard(T result) {
    tooLate.accept(result);
  }

  @Override
  public boolean carriesReports() {
    return false;
  }

  @Override
  public Throwable timedOut(TimeUp limit) {
    return where.client().timedOut(limit);
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return where.client().failure(end, cause);
  }

  @Override
  public void callBack(Runnable callback) {
    where.client().callBack(callback);
  }
}
