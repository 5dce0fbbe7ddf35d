package dev.steadfast.retry.engine;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.testkit.FakeTime;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Work that does, attempt by attempt, what its script says. */
final class Script {
  private final FakeTime time;
  private final Queue<Step> steps;

  Script(FakeTime time, List<Step> steps) {
    this.time = time;
    this.steps = new ArrayDeque<>(steps);
  }

  boolean played() {
    return steps.isEmpty();
  }

  /** The next step on the calling thread, for {@link Retrier#call}. */
  @Nullable Object call() throws Exception {
    Step step = steps.remove();
    time.advance(step.took());
    if (step.thrown() != null) {
      throw Script.<RuntimeException>unchecked(step.thrown());
    }
    return step.value();
  }

  // An Error or a checked exception, thrown as it is.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** The next step on the scheduler, for {@link Retrier#callAsync}. */
  CompletionStage<@Nullable Object> start() {
    Step step = steps.remove();
    CompletableFuture<@Nullable Object> stage = new CompletableFuture<>();
    Runnable end =
        () -> {
          if (step.thrown() != null) {
            stage.completeExceptionally(step.thrown());
          } else {
            stage.complete(step.value());
          }
        };
    if (step.took().isZero()) {
      end.run();
    } else {
      RetryScheduler.Task task = time.schedule(step.took().toNanos(), end);
      stage.whenComplete((value, thrown) -> task.cancel());
    }
    return stage;
  }
}
