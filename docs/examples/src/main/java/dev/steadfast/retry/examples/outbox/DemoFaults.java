package dev.steadfast.retry.examples.outbox;

import dev.steadfast.retry.examples.Jvm;
import dev.steadfast.retry.examples.payments.Faults;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What goes wrong at the payments service, by the names of the orders. */
final class DemoFaults implements Faults {
  static final String PLAIN = "order-1";
  static final String ANSWER_LOST = "order-2-answer-lost";
  static final String DECLINED = "order-3-declined";
  static final String RELAY_KILLED = "order-4-relay-killed";

  /** The payment is made, and no answer about it ever comes. */
  static final String SILENT_AFTER = "order-5-no-answer";

  /** The payment is not made, and no answer about it ever comes. */
  static final String SILENT_BEFORE = "order-6-no-answer";

  static final String ROLLED_BACK = "order-7-rolled-back";

  private final Process relay;
  private final Set<String> paid = ConcurrentHashMap.newKeySet();

  /**
   * Faults that also kill a relay.
   *
   * @param relay the process that makes the first payments
   */
  DemoFaults(Process relay) {
    this.relay = relay;
  }

  @Override
  public void at(Point point, String order) {
    if (point == Point.BEFORE_KEY && (order.equals(SILENT_BEFORE) || isSilent(order))) {
      throw Faults.crash();
    }
    if (point == Point.AFTER_COMMIT) {
      committed(order);
    }
  }

  private boolean isSilent(String order) {
    return order.equals(SILENT_AFTER) && paid.contains(order);
  }

  /** Comes once for each order, because a repetition gets the stored answer. */
  private void committed(String order) {
    paid.add(order);
    if (order.equals(RELAY_KILLED)) {
      Jvm.kill(relay);
    }
    if (!order.equals(PLAIN) && !order.equals(DECLINED)) {
      throw Faults.crash();
    }
  }
}
