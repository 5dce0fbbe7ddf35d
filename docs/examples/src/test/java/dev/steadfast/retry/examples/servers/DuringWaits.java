package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Has something happen during each wait between two attempts, and notes how long they are. */
final class DuringWaits implements RetryListener {
  /** What happens. */
  @FunctionalInterface
  interface Event {
    void happen() throws Exception;
  }

  private final Event event;
  private final List<Duration> waits = new ArrayList<>();

  DuringWaits(Event event) {
    this.event = event;
  }

  List<Duration> waits() {
    return waits;
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    waits.add(delay);
    try {
      event.happen();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
