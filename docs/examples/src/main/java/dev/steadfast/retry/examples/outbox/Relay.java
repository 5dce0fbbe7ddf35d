package dev.steadfast.retry.examples.outbox;

import com.github.kagkarlsson.scheduler.Scheduler;
import dev.steadfast.retry.examples.Jvm;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Makes the payments of orders that are committed. Any number of relays share the work, within the
 * processes of the shop or, as here, in processes of their own.
 */
final class Relay {
  private Relay() {}

  static Scheduler start(Shop shop) {
    // region outbox-relay
    Scheduler scheduler =
        Scheduler.create(shop.database())
            .startTasks(shop.delivery().task())
            .pollUsingLockAndFetch(0.5, 3.0)
            .pollingInterval(Duration.ofMillis(200))
            .heartbeatInterval(Duration.ofSeconds(1)) // a dead relay is noticed after 6 s
            .build();
    scheduler.start();
    // endregion
    return scheduler;
  }

  /** Relays until the process that has started this one ends: {@code Relay jdbc:postgresql:...}. */
  public static void main(String[] args) throws IOException, SQLException {
    Jvm.endWithParent();
    start(Shop.open(args[0], Shop.WINDOW));
  }
}
