package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Work that a {@link Retrier} calls: on the calling thread, or as a stage that it completes. */
final class WorkExchange implements Exchange<Object> {
  private final Work work;
  private final RetryingLayer layer;
  private final Callable<?> callable;
  private final boolean blocking; // else the work gives a stage

  private WorkExchange(Work work, RetryingLayer layer, Callable<?> callable, boolean blocking) {
    this.work = work;
    this.layer = layer;
    this.callable = callable;
    this.blocking = blocking;
  }

  /** Work on the calling thread. */
  static WorkExchange of(Work work, Callable<?> callable, RetryingLayer layer) {
    return new WorkExchange(work, layer, callable, true);
  }

  /** Work that completes a stage. */
  static WorkExchange of(
      Work work, Supplier<? extends CompletionStage<?>> supplier, RetryingLayer layer) {
    return new WorkExchange(work, layer, supplier::get, false);
  }

  private static void follow(CompletionStage<?> stage, Attempt<Object> attempt) {
    attempt.onCancel(() -> cancel(stage));
    stage.whenComplete((result, failure) -> {
      if (failure == null) {
        attempt.complete(Work.mask(result), null);
      } else {
        attempt.complete(null, unwrap(failure));
      }
    });
  }

  private static void cancel(CompletionStage<?> stage) {
    if (stage instanceof CompletableFuture<?> future) {
      try {
        future.cancel(true);
      } catch (UnsupportedOperationException readOnly) {
        // A view such as minimalCompletionStage() cannot be stopped; its result comes too late.
      }
    }
  }

  private static Throwable unwrap(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  @Override
  public void start(Attempt<Object> attempt) throws Exception {
    if (!attempt.begin(attempt.info())) {
      return;
    }
    Object result = Work.within(layer, callable);
    if (blocking) {
      attempt.complete(Work.mask(result), null);
    } else {
      follow(
          (CompletionStage<?>) Checks.notNull("the stage that the work returned", result), attempt);
    }
  }

  // Work on the calling thread cannot be stopped.
  @Override
  public boolean boundsAttempts() {
    return blocking;
  }

  // A result of the user's type has no place for one.
  @Override
  public boolean carriesReports() {
    return false;
  }

  @Override
  public Outcome outcome(Object result) {
    return work.outcomeOfResult(result);
  }

  @Override
  public Outcome outcome(Throwable failure) {
    return work.outcomeOfFailure(failure);
  }

  @Override
  public Evidence evidence() {
    return Work.unknown();
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return CallEnds.failure(end, cause);
  }
}
