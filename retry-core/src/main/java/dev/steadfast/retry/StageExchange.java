package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Work that completes a stage. */
final class StageExchange implements Exchange<Object> {
  private final Work work;
  private final Supplier<? extends CompletionStage<?>> supplier;
  private final RetryingLayer layer;

  StageExchange(Work work, Supplier<? extends CompletionStage<?>> supplier, RetryingLayer layer) {
    this.work = work;
    this.supplier = supplier;
    this.layer = layer;
  }

  @Override
  public void start(Attempt<Object> attempt) throws Exception {
    if (!attempt.begin(attempt.info())) {
      return;
    }
    CompletionStage<?> stage =
        Checks.notNull("the stage that the work returned", Work.within(layer, supplier::get));
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
  public Verdict judge(Object result) {
    return work.judgeResult(result);
  }

  @Override
  public Verdict judge(Throwable failure) {
    return work.judgeFailure(failure);
  }

  @Override
  public Facts facts(@Nullable Object result, @Nullable Throwable failure) {
    return Work.facts(failure);
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return CallEnds.failure(end, cause);
  }

  @Override
  public void execute(Runnable continuation) {
    new CompletableFuture<Void>().defaultExecutor().execute(continuation);
  }
}
