package dev.steadfast.retry.examples.outbox;

import dev.steadfast.retry.examples.Jvm;
import dev.steadfast.retry.examples.outbox.OrderPage.State;
import dev.steadfast.retry.examples.payments.Faults;
import dev.steadfast.retry.examples.payments.PaymentsServer;
import dev.steadfast.retry.examples.payments.Settings;
import dev.steadfast.retry.examples.payments.Sql;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Orders, their payments and what goes wrong: {@code OutboxDemo jdbc:postgresql:...}. Fails unless
 * every order page agrees with what the payments service has.
 *
 * <p>Shop and payments service use the same database here, but never the same transaction.
 */
public final class OutboxDemo {
  private static final List<String> PLACED =
      List.of(
          DemoFaults.PLAIN,
          DemoFaults.ANSWER_LOST,
          DemoFaults.DECLINED,
          DemoFaults.RELAY_KILLED,
          DemoFaults.SILENT_AFTER,
          DemoFaults.SILENT_BEFORE,
          DemoFaults.ROLLED_BACK);

  /** Of the orders that never get an answer, so that they end as unknown soon. */
  private static final Duration SHORT_WINDOW = Duration.ofSeconds(8);

  private static final long ABOVE_THE_LIMIT = 2_000_000;

  private final String jdbcUrl;
  private final Shop shop;
  private final DemoPages pages;
  private final Socket port = new Socket(); // kept from other programs while the service is down
  private final URI payments;

  private OutboxDemo(String jdbcUrl, Shop shop) throws IOException {
    this.jdbcUrl = jdbcUrl;
    this.shop = shop;
    this.pages = new DemoPages(shop.database(), PLACED);
    port.setReuseAddress(true);
    port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    this.payments = URI.create("http://127.0.0.1:" + port.getLocalPort() + "/payments");
  }

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    System.out.println("OUTBOX: an order and the intent to pay for it are committed together.");
    System.out.println("A relay makes the payments afterwards.");
    System.out.println();
    try (Shop shop = Shop.open(args[0], Shop.WINDOW)) {
      OutboxDemo demo = new OutboxDemo(args[0], shop);
      demo.place();
      demo.run();
      if (!demo.pages.agree()) {
        throw new IllegalStateException("a page does not agree with the payments service");
      }
    }
    System.out.println("Every page agrees with the payments service.");
    System.out.println();
  }

  private void place() throws IOException, SQLException {
    shop.place(new Order(DemoFaults.PLAIN, "acme", 100), payments);
    shop.place(new Order(DemoFaults.ANSWER_LOST, "acme", 100), payments);
    shop.place(new Order(DemoFaults.DECLINED, "acme", ABOVE_THE_LIMIT), payments);
    shop.place(new Order(DemoFaults.RELAY_KILLED, "acme", 100), payments);
    try (Shop hasty = Shop.open(jdbcUrl, SHORT_WINDOW)) {
      hasty.place(new Order(DemoFaults.SILENT_AFTER, "acme", 100), payments);
      hasty.place(new Order(DemoFaults.SILENT_BEFORE, "acme", 100), payments);
    }
    try (Connection connection = shop.database().getConnection()) {
      connection.setAutoCommit(false);
      shop.place(connection, new Order(DemoFaults.ROLLED_BACK, "acme", 100), payments);
      connection.rollback();
    }
  }

  private void run() throws Exception {
    // Makes the tables of the service, which is then down.
    service(Faults.NONE, 0).close();
    Process first = Jvm.start(Relay.class, jdbcUrl);
    Process second = null;
    try {
      pages.show("The payments service is down. The relay tries again.", this::triedInVain);
      try (PaymentsServer service = service(new DemoFaults(first), payments.getPort())) {
        port.close();
        first.onExit().get(1, TimeUnit.MINUTES);
        second = Jvm.start(Relay.class, jdbcUrl);
        pages.show(
            "The service is up and loses answers. kill -9 hit the relay, and another one goes on.",
            this::finishedOrUnknown);
        pages.show("The shop has asked the service about the unknown ones.", this::settled);
      }
    } finally {
      Jvm.kill(first);
      if (second != null) {
        Jvm.kill(second);
      }
    }
  }

  private PaymentsServer service(Faults faults, int port) throws IOException, SQLException {
    return PaymentsServer.start(shop.database(), Settings.defaults(), faults, port);
  }

  private boolean triedInVain(Map<String, State> states) throws SQLException {
    String tried = "select count(*) from steadfast_operation where claims > 0";
    try (Connection connection = shop.database().getConnection()) {
      long count = Sql.first(connection, row -> row.getLong(1), tried).orElseThrow();
      return count == states.size() && states.values().stream().allMatch(State.NEVER_SENT::equals);
    }
  }

  /** The relay sends nothing any more: what is unknown now stays so. */
  private boolean finishedOrUnknown(Map<String, State> states) throws IOException {
    int unknown = Collections.frequency(states.values(), State.UNKNOWN);
    return !states.containsValue(State.NEVER_SENT) && shop.journal().unknown(100).size() == unknown;
  }

  private boolean settled(Map<String, State> states) throws IOException, InterruptedException {
    new Clerk().settle(shop.journal());
    return !states.containsValue(State.UNKNOWN);
  }
}
