package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryEnvironment;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The future of an operation, which the loop completes. As with the JDK's own HTTP futures,
 * cancelling a derived one reaches the operation; this is why it is a subclass. If anyone except
 * the loop completes it, waits and attempts end too.
 *
 * <p>A thread that waits for it depends on no other thread when the time of an attempt or of the
 * operation is up: if nobody else goes on with the operation a moment later, that thread does.
 */
final class OperationFuture<R, T> extends CompletableFuture<T>
    implements BiConsumer<@Nullable R, @Nullable Throwable> {
  private final Running<R> running;
  private final @Nullable Function<R, @Nullable T> result; // null: derived from the operation's own
  private final UnaryOperator<Throwable> failure;

  // How long a waiting thread leaves due work to other threads; doubled while nothing changes.
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long MOST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final LongSupplier REAL_TIME = RetryEnvironment.system().ticker();

  /** The source that completes the future. */
  interface Source<R> {
    void cancel();

    void discard(R response);

    // The defaults are for a source that is more than one operation: nobody can help it.

    /** {@return the time until the deadline in nanoseconds, {@link Long#MAX_VALUE} for none} */
    default long deadlineInNanos() {
      return Long.MAX_VALUE;
    }

    /**
     * Continues the operation on the calling thread if no other thread has.
     *
     * @return the end, null if there is none yet
     */
    default @Nullable EndCallback<R> help() {
      return null;
    }
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

  // Waiting.

  @Override
  public T get() throws InterruptedException, ExecutionException {
    try {
      CompletableFuture<T> end = awaitEnd(Long.MAX_VALUE);
      return end == null ? super.get() : end.get();
    } catch (TimeoutException never) {
      throw new AssertionError(never); // there was no limit
    }
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    long most = unit.toNanos(timeout);
    long startNanos = REAL_TIME.getAsLong();
    CompletableFuture<T> end = awaitEnd(most);
    long left = most - (REAL_TIME.getAsLong() - startNanos);
    return end == null ? super.get(Math.max(0, left), TimeUnit.NANOSECONDS) : end.get();
  }

  @Override
  public T join() {
    boolean interrupted = false;
    while (true) {
      try {
        CompletableFuture<T> end = awaitEnd(Long.MAX_VALUE);
        if (interrupted) {
          Thread.currentThread().interrupt(); // kept for the caller
        }
        return end == null ? super.join() : end.join();
      } catch (InterruptedException again) {
        interrupted = true;
      } catch (TimeoutException never) {
        throw new AssertionError(never); // as above
      }
    }
  }

  /**
   * Waits while there may be something to help with.
   *
   * @return null if this future is to be asked; else a complete copy, because completing this one
   *     on the calling thread would run its dependents there
   */
  private @Nullable CompletableFuture<T> awaitEnd(long mostNanos)
      throws InterruptedException, TimeoutException {
    long startNanos = REAL_TIME.getAsLong();
    long patience = PATIENCE_NANOS;
    for (Source<R> loop = running.loop; loop != null && !isDone(); loop = running.loop) {
      long left = remainingNanos(loop);
      long most = mostNanos - (REAL_TIME.getAsLong() - startNanos);
      long moment = left + Math.min(patience, Long.MAX_VALUE - left);
      if (isDoneWithin(Math.min(most, moment))) {
        return null;
      }
      if (most <= moment) {
        throw new TimeoutException();
      }
      EndCallback<R> end = loop.help();
      if (end != null) {
        Function<R, @Nullable T> ofResponse = result;
        if (ofResponse != null && getNumberOfDependents() > 0) {
          OperationFuture<R, T> copy = new OperationFuture<>(loop, ofResponse, failure);
          end.pass(copy);
          return copy;
        }
        end.callBack(); // a derived future needs this
      }
      patience = left > 0 ? PATIENCE_NANOS : Math.min(2 * patience, MOST_PATIENCE_NANOS);
    }
    return null;
  }

  private static long remainingNanos(Source<?> loop) {
    try {
      return loop.deadlineInNanos();
    } catch (Throwable noTime) {
      return Long.MAX_VALUE; // the loop meets that, too, and ends the operation
    }
  }

  private boolean isDoneWithin(long nanos) throws InterruptedException {
    try {
      T ignored = super.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      return false;
    } catch (ExecutionException | CancellationException failed) {
      // It is done, and whoever asks gets the failure.
    }
    return true;
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
