package dev.steadfast.retry.okhttp;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * How many requests of an attempt went out, until nothing may go out any more. A base class, so
 * that it costs no object. Safe for use by many threads.
 */
abstract class DeliveryCount {
  private static final AtomicIntegerFieldUpdater<DeliveryCount> SENT =
      AtomicIntegerFieldUpdater.newUpdater(DeliveryCount.class, "sent");

  // Requests sent; sealed, it is -1 - requests, so that sending and sealing exclude each other.
  private volatile int sent;

  /** Counts a request that goes out now. Returns false if none may. */
  boolean count() {
    int before = sent;
    while (before >= 0 && !SENT.compareAndSet(this, before, before + 1)) {
      before = sent;
    }
    return before >= 0;
  }

  /** A request that was counted did not go out. */
  void uncount() {
    int before = sent;
    while (!SENT.compareAndSet(this, before, before < 0 ? before + 1 : before - 1)) {
      before = sent;
    }
  }

  /**
   * Lets nothing out any more, so that what {@link #deliveries} says stays true. Otherwise a timer
   * could give up an attempt as never sent while its thread is about to send.
   */
  void seal() {
    int before = sent;
    while (before >= 0 && !SENT.compareAndSet(this, before, -1 - before)) {
      before = sent;
    }
  }

  boolean isSealed() {
    return sent < 0;
  }

  int deliveries() {
    int count = sent;
    return count < 0 ? -1 - count : count;
  }
}
