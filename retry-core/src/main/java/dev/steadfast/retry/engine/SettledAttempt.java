package dev.steadfast.retry.engine;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * An attempt that the thread of the timers has settled. Ending the attempt on the wire and going on
 * with the operation may call code of the user's, so both go to other threads.
 */
final class SettledAttempt {
  private static final AtomicIntegerFieldUpdater<SettledAttempt> TO_GO_ON =
      AtomicIntegerFieldUpdater.newUpdater(SettledAttempt.class, "toGoOn");

  private final AttemptSettlement<?> attempt;
  private volatile int toGoOn; // 1 until a thread goes on

  // Belongs to the thread of the timers.
  private boolean stopHandedOver;
  private boolean goingOnHandedOver;

  /** Made before the attempt is settled, because afterwards there may be no memory for it. */
  SettledAttempt(AttemptSettlement<?> attempt) {
    this.attempt = attempt;
    this.toGoOn = attempt.waits() ? 0 : 1; // a waiting thread comes back from the wire
  }

  /** Called once more if there was no memory for it. */
  void handOver() {
    Operation<?> operation = attempt.operation();
    if (!stopHandedOver) {
      operation.plan().threads().cancelOnWire(attempt::stopOnTheWire);
      stopHandedOver = true;
    }
    if (!goingOnHandedOver && toGoOn == 1) {
      Callbacks.goOn(operation, this::goOn);
      goingOnHandedOver = true;
    }
  }

  /** Goes on with the operation on the calling thread, unless another thread has. */
  void goOn() {
    if (toGoOn == 1 && TO_GO_ON.compareAndSet(this, 1, 0)) {
      attempt.handOver();
    }
  }
}
