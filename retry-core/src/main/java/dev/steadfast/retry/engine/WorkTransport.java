package dev.steadfast.retry.engine;

import dev.steadfast.retry.internal.Checks;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Work that a {@code Retrier} calls: on the calling thread, or as a stage that it completes. */
sealed interface WorkTransport extends RetryTransport<Object> {
  /** Judges results and failures. */
  Work work();

  /** The layer that the work's own calls see as the layer above them. */
  RetryingLayer layer();

  /** Work on the calling thread. */
  static WorkTransport of(Work work, Callable<?> callable, RetryingLayer layer) {
    return new Blocking(work, layer, callable);
  }

  /** Work that completes a stage. */
  static WorkTransport of(
      Work work, Supplier<? extends CompletionStage<?>> supplier, RetryingLayer layer) {
    return new Staged(work, layer, supplier);
  }

  /** Work on the calling thread, which nothing can stop. */
  record Blocking(Work work, RetryingLayer layer, Callable<?> callable) implements WorkTransport {
    @Override
    public void start(Attempt<Object> attempt) throws Exception {
      if (attempt.begin(attempt.info())) {
        attempt.complete(Work.mask(Work.within(layer, callable)), null);
      }
    }

    @Override
    public boolean boundsAttempts() {
      return true;
    }
  }

  /** Work that completes a stage. */
  record Staged(
      Work work, RetryingLayer layer, Supplier<? extends @Nullable CompletionStage<?>> supplier)
      implements WorkTransport {
    @Override
    public void start(Attempt<Object> attempt) throws Exception {
      if (attempt.begin(attempt.info())) {
        CompletionStage<?> stage = Work.within(layer, supplier::get);
        follow(Checks.notNull("the stage that the work returned", stage), attempt);
      }
    }

    @Override
    public boolean boundsAttempts() {
      return false;
    }
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

  // A result of the user's type has no place for a report.
  @Override
  default boolean carriesReports() {
    return false;
  }

  @Override
  default Outcome outcome(Object result) {
    return work().outcomeOfResult(result);
  }

  @Override
  default Outcome outcome(Throwable failure) {
    return work().outcomeOfFailure(failure);
  }

  @Override
  default Evidence evidence() {
    return Work.unknown();
  }

  @Override
  default Throwable failure(End end, @Nullable Throwable cause) {
    return RetrierExceptions.failure(end, cause);
  }
}
