package dev.steadfast.retry.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An event that came while an attempt was {@link Phase#BUSY}. The thread that brings it then looks
 * at the phase, and the thread that ends the phase then looks here, so one of the two handles it.
 *
 * @param <R> the response
 */
final class DeferredEvent<R> {
  private final AtomicReference<@Nullable Completion<R>> completion = new AtomicReference<>();
  private volatile @Nullable End end;
  private volatile boolean look;
  private volatile @Nullable CountDownLatch settled; // null: no thread waits for that

  /** The result that {@link Attempt#complete} was given. */
  record Completion<R>(@Nullable R response, @Nullable Throwable failure) {}

  /** An end from outside, and why. */
  record End(Phase phase, @Nullable Throwable reason) {}

  /** The attempt is to end. */
  void end(Phase phase, @Nullable Throwable reason) {
    end = new End(phase, reason);
  }

  @Nullable End end() {
    return end;
  }

  /** The attempt is to look at its time. */
  void look() {
    look = true;
  }

  boolean takeLook() {
    boolean taken = look;
    look = false;
    return taken;
  }

  /** The client has completed the attempt: it may give up while a head is still being judged. */
  void complete(@Nullable R response, @Nullable Throwable failure) {
    completion.set(new Completion<>(response, failure));
  }

  @Nullable Completion<R> takeCompletion() {
    return completion.getAndSet(null);
  }

  /**
   * Waits until the thread that judges the head has settled the attempt. Needed in a blocking
   * operation if its calling thread has left the client before that.
   */
  void awaitEnd(BooleanSupplier over) {
    CountDownLatch waiting = new CountDownLatch(1);
    settled = waiting;
    boolean interrupted = false;
    while (waiting.getCount() > 0 && !over.getAsBoolean()) {
      try {
        waiting.await();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Everything has been handled. */
  void handled() {
    CountDownLatch waiting = settled;
    if (waiting != null) {
      waiting.countDown();
    }
  }
}
