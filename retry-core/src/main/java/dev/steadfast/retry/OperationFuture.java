package dev.steadfast.retry;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The future of an operation. As with the JDK's own HTTP futures, cancelling a derived one reaches
 * the operation; the JDK asks for a subclass to do that.
 */
final class OperationFuture<T> extends CompletableFuture<T> {
  private final RetryLoop<?> loop;
  private volatile boolean ended; // by the operation itself

  OperationFuture(RetryLoop<?> loop) {
    this.loop = loop;
  }

  /** Returns false if somebody else has completed this future: nobody gets the value then. */
  boolean succeed(@Nullable T value) {
    ended = true;
    return complete(value);
  }

  void fail(Throwable thrown) {
    ended = true;
    completeExceptionally(thrown);
  }

  /** Lets a completion from outside (complete, orTimeout, obtrude) end waits and attempts too. */
  OperationFuture<T> watched() {
    if (!ended) {
      whenComplete((value, thrown) -> {
        if (!ended) {
          loop.cancel();
        }
      });
    }
    return this;
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new OperationFuture<>(loop);
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
