package dev.steadfast.retry.apache5;

import java.util.function.BooleanSupplier;
import org.apache.hc.core5.concurrent.Cancellable;
import org.jspecify.annotations.Nullable;

/**
 * Ends what {@code cancel} of the caller's request ends: the operation, and its attempt on the
 * wire.
 */
final class CallCancel implements Cancellable {
  private volatile boolean cancelled;
  private volatile @Nullable Runnable loop;
  private volatile @Nullable AttemptCancel attempt;

  void ends(Runnable operation) {
    loop = operation;
  }

  /** The next attempt. */
  AttemptCancel attempt(BooleanSupplier stopped) {
    AttemptCancel made = new AttemptCancel(() -> cancelled || stopped.getAsBoolean());
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
    AttemptCancel last = attempt; // also after the head: the caller may be reading the body
    if (last != null) {
      last.cancel();
    }
    return first;
  }
}
