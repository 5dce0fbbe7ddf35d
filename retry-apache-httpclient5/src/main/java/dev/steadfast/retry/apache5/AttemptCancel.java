package dev.steadfast.retry.apache5;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.jspecify.annotations.Nullable;

/**
 * Ends one attempt on the wire, whether it waits for a connection, connects, or exchanges messages.
 */
final class AttemptCancel implements CancellableDependency {
  private final BooleanSupplier stopped;
  private final AtomicReference<@Nullable Cancellable> under = new AtomicReference<>();
  private volatile boolean cancelled;

  AttemptCancel(BooleanSupplier stopped) {
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
