package dev.steadfast.retry;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future of an operation, told of its end by the loop. As with the JDK's own HTTP futures,
 * cancelling a derived one reaches the operation; the JDK asks for a subclass to do that. Being
 * completed by anybody but the loop ends waits and attempts too.
 */
final class OperationFuture<R, T> extends CompletableFuture<T>
    implements BiConsumer<@Nullable R, @Nullable Throwable> {
  private final RetryLoop<R> loop;
  private final @Nullable Function<R, @Nullable T> result; // null: derived from the operation's own

  OperationFuture(RetryLoop<R> loop, @Nullable Function<R, @Nullable T> result) {
    this.loop = loop;
    this.result = result;
  }

  @Override
  public void accept(@Nullable R response, @Nullable Throwable thrown) {
    if (thrown != null) {
      super.completeExceptionally(thrown);
      return;
    }
    R answer = loop.present(response);
    if (!super.complete(Objects.requireNonNull(result).apply(answer))) {
      loop.discard(answer); // cancelled, or completed from outside
    }
  }

  // A derived future is completed with its own value: what it came from goes on.
  private boolean endsOperation(boolean completed) {
    if (completed && result != null) {
      loop.cancel();
    }
    return completed;
  }

  // orTimeout and completeOnTimeout come here too.

  @Override
  public boolean complete(@Nullable T value) {
    return endsOperation(super.complete(value));
  }

  @Override
  public boolean completeExceptionally(Throwable thrown) {
    return endsOperation(super.completeExceptionally(thrown));
  }

  @Override
  public void obtrudeValue(@Nullable T value) {
    super.obtrudeValue(value);
    endsOperation(true);
  }

  @Override
  public void obtrudeException(Throwable thrown) {
    super.obtrudeException(thrown);
    endsOperation(true);
  }

  // Completes without a call of complete(), so it is watched.
  @Override
  public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
    whenComplete((value, thrown) -> endsOperation(true));
    return super.completeAsync(supplier, executor);
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new OperationFuture<R, U>(loop, null);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (cancelled) {
      loop.cancel();
    }
    return cancelled;
  }
}
