package dev.steadfast.retry.apache5;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.jspecify.annotations.Nullable;

/**
 * Ends what {@code cancel} of the caller's request ends: the operation, and its attempt on the
 * wire.
 */
final class CallCancel implements Cancellable {
  private volatile boolean cancelled;
  private volatile @Nullable Runnable loop;
  private volatile @Nullable OfAttempt attempt;

  void ends(Runnable operation) {
    loop = operation;
  }

  /** The next attempt. */
  OfAttempt attempt(BooleanSupplier stopped) {
    OfAttempt made = new OfAttempt(() -> cancelled || stopped.getAsBoolean());
    attempt = made;
    return made;
  }

  boolean isCancelled() {
    return cancelled;
  }

  @Override
  public boolean cancel() {
    boolean first = !cancelled;
    cancelled = true;
    Runnable operation = loop;
    if (operation != null) {
      operation.run();
    }
    OfAttempt last = attempt; // also after the head: the caller may be reading the body
    if (last != null) {
      last.cancel();
    }
    return first;
  }

  /** Ends one attempt, whether it waits for a connection, connects, or exchanges messages. */
  static final class OfAttempt implements CancellableDependency {
    private final BooleanSupplier stopped;
    private final AtomicReference<@Nullable Cancellable> under = new AtomicReference<>();
    private volatile boolean cancelled;

    private OfAttempt(BooleanSupplier stopped) {
      this.stopped = stopped;
    }

    @Override
    public void setDependency(Cancellable now) {
      under.set(now);
      if (isCancelled()) {
        now.cancel();
      }
    }

    @Override
    public boolean isCancelled() {
      return cancelled || stopped.getAsBoolean();
    }

    @Override
    public boolean cancel() {
      cancelled = true;
      Cancellable now = under.get();
      return now != null && now.cancel();
    }
  }
}
