package dev.steadfast.retry.engine;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The future of an operation, which the loop completes. As with the JDK's own HTTP futures,
 * cancelling a derived one reaches the operation; this is why it is a subclass. If anyone except
 * the loop completes it, waits and attempts end too.
 */
final class OperationFuture<R, T> extends CompletableFuture<T>
    implements BiConsumer<@Nullable R, @Nullable Throwable> {
  private final Running<R> running;
  private final @Nullable Function<R, @Nullable T> result; // null: derived from the operation's own
  private final UnaryOperator<Throwable> failure;

  /** What completes the future. */
  interface Source<R> {
    void cancel();

    void discard(R response);
  }

  /** The operation while it runs. A future that is kept afterwards keeps nothing of it alive. */
  private static final class Running<R> {
    private volatile @Nullable Source<R> loop;

    Running(Source<R> loop) {
      this.loop = loop;
    }

    void cancel() {
      Source<R> reached = loop;
      if (reached != null) {
        reached.cancel();
      }
    }
  }

  OperationFuture(
      Source<R> loop, Function<R, @Nullable T> result, UnaryOperator<Throwable> failure) {
    this.running = new Running<>(loop);
    this.result = result;
    this.failure = failure;
  }

  private OperationFuture(Running<R> running) {
    this.running = running;
    this.result = null;
    this.failure = UnaryOperator.identity();
  }

  @Override
  public void accept(@Nullable R response, @Nullable Throwable thrown) {
    Source<R> loop = Objects.requireNonNull(running.loop);
    running.loop = null;
    if (thrown != null) {
      super.completeExceptionally(asStageFailure(thrown));
      return;
    }
    R answer = Objects.requireNonNull(response);
    T value;
    try {
      value = Objects.requireNonNull(result).apply(answer);
    } catch (Throwable broken) {
      super.completeExceptionally(asStageFailure(broken));
      return;
    }
    if (!super.complete(value)) {
      loop.discard(answer); // cancelled, or completed from outside
    }
  }

  private Throwable asStageFailure(Throwable thrown) {
    return thrown instanceof CancellationException ? thrown : failure.apply(thrown);
  }

  // Completing a derived future from outside does not end the operation: only the first future has
  // a result function.
  private boolean endsOperation(boolean completed) {
    if (completed && result != null) {
      running.cancel();
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
    throw new UnsupportedOperationException("the result of an operation cannot be replaced");
  }

  @Override
  public void obtrudeException(Throwable thrown) {
    throw new UnsupportedOperationException("the result of an operation cannot be replaced");
  }

  // The inherited method completes without a call of complete(), and is younger than Android 8.
  @Override
  public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
    Objects.requireNonNull(supplier);
    executor.execute(() -> completeFrom(supplier));
    return this;
  }

  private void completeFrom(Supplier<? extends T> supplier) {
    if (isDone()) {
      return;
    }
    try {
      complete(supplier.get());
    } catch (Throwable thrown) {
      completeExceptionally(new CompletionException(thrown));
    }
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new OperationFuture<R, U>(running);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (cancelled) {
      running.cancel();
    }
    return cancelled;
  }
}
