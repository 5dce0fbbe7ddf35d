package dev.steadfast.retry.examples.outbox;

import dev.steadfast.retry.examples.outbox.OrderPage.State;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/** Prints the order pages beside what the payments service has. Confined to its thread. */
final class DemoPages {
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final long PAUSE_MILLIS = 100;
  private static final String PAYMENTS =
      "select count(*) from ledger where principal = 'shop' and intent = ?";

  /** Whether the pages show what is waited for. */
  interface Condition {
    boolean holds(Map<String, State> pages) throws Exception;
  }

  private final DataSource database;
  private final List<String> orders;
  private boolean agree = true;

  DemoPages(DataSource database, List<String> orders) {
    this.database = database;
    this.orders = orders;
  }

  /** Waits until the condition holds, and prints the pages of that moment. */
  void show(String title, Condition condition) throws Exception {
    long begin = System.nanoTime();
    Map<String, State> pages = OrderPage.states(database);
    while (!condition.holds(pages)) {
      if (System.nanoTime() - begin > PATIENCE_NANOS) {
        throw new TimeoutException(title + " " + pages);
      }
      Thread.sleep(PAUSE_MILLIS);
      pages = OrderPage.states(database);
    }
    System.out.println(title);
    System.out.println();
    System.out.printf("  %-20s  %-13s  %s%n", "order", "its page says", "payments at the service");
    for (String order : orders) {
      print(order, pages.get(order));
    }
    System.out.println();
  }

  private void print(String order, State page) throws SQLException {
    long payments = payments(order);
    boolean agrees = page == null ? payments == 0 : page.agreesWith(payments);
    agree &= agrees;
    System.out.printf(
        "  %-20s  %-13s  %d%s%n",
        order, page == null ? "no such order" : page, payments, agrees ? "" : "  DISAGREES");
  }

  private long payments(String order) throws SQLException {
    try (Connection connection = database.getConnection()) {
      return Sql.first(connection, row -> row.getLong(1), PAYMENTS, order).orElseThrow();
    }
  }

  /** Whether every page that was printed agreed with the payments of its order. */
  boolean agree() {
    return agree;
  }
}
