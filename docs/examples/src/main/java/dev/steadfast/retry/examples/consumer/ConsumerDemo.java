package dev.steadfast.retry.examples.consumer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.steadfast.retry.examples.Jvm;
import dev.steadfast.retry.examples.consumer.MessageQueue.Times;
import dev.steadfast.retry.examples.payments.Faults;
import dev.steadfast.retry.examples.payments.PaymentsServer;
import dev.steadfast.retry.examples.payments.Settings;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/**
 * Messages, their payments and what goes wrong: {@code ConsumerDemo jdbc:postgresql:...}. Fails
 * unless the payments service has one payment for each message that is paid, and no other.
 */
public final class ConsumerDemo {
  private static final int ANSWER_LOST = 2;
  private static final int DECLINED = 3;
  private static final int CONSUMER_KILLED = 4;
  private static final int MESSAGES = 6;
  private static final long ABOVE_THE_LIMIT = 2_000_000;
  private static final String HIDDEN = "PT3S";
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final long PAUSE_MILLIS = 100;

  private static final String PAGE =
      """
      select id, deliveries, outcome, (select count(*) from ledger
          where principal = 'consumer' and intent = 'message-' || id) as payments
        from messages order by id
      """;
  private static final String WAITING = "select from messages where outcome is null";

  private ConsumerDemo() {}

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    System.out.println("CONSUMER: a message is delivered until it is acknowledged.");
    System.out.println("The key of its payment is made from its number.");
    System.out.println();
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(args[0]);
    try (HikariDataSource database = new HikariDataSource(pool)) {
      MessageQueue queue = MessageQueue.open(database, Times.defaults());
      for (int message = 1; message <= MESSAGES; message++) {
        queue.send("acme", message == DECLINED ? ABOVE_THE_LIMIT : 100);
      }
      consume(args[0], database);
      if (!print(database)) {
        throw new IllegalStateException("a message does not agree with the payments service");
      }
    }
    System.out.println("Every outcome agrees with the payments service.");
  }

  private static void consume(String jdbcUrl, DataSource database) throws Exception {
    CompletableFuture<Process> first = new CompletableFuture<>();
    Faults faults = (point, intent) -> fault(point, intent, first);
    try (PaymentsServer service = PaymentsServer.start(database, Settings.defaults(), faults, 0)) {
      String payments = service.uri().toString();
      first.complete(Jvm.start(Consumer.class, jdbcUrl, payments, HIDDEN));
      first.join().onExit().get(1, TimeUnit.MINUTES);
      Process second = Jvm.start(Consumer.class, jdbcUrl, payments, HIDDEN);
      try {
        awaitAcknowledged(database);
      } finally {
        Jvm.kill(second);
      }
    } finally {
      Jvm.kill(first.join());
    }
  }

  private static void fault(Faults.Point point, String intent, CompletableFuture<Process> first) {
    if (point != Faults.Point.AFTER_COMMIT) {
      return;
    }
    if (intent.equals("message-" + CONSUMER_KILLED)) {
      Jvm.kill(first.join());
    }
    if (intent.equals("message-" + ANSWER_LOST)) {
      throw Faults.crash();
    }
  }

  private static void awaitAcknowledged(DataSource database) throws Exception {
    long begin = System.nanoTime();
    while (isWaiting(database)) {
      if (System.nanoTime() - begin > PATIENCE_NANOS) {
        throw new TimeoutException("a message was not acknowledged");
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private static boolean isWaiting(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      return Sql.first(connection, row -> true, WAITING).isPresent();
    }
  }

  /** Prints all messages, and returns whether each agrees with the payments of it. */
  private static boolean print(DataSource database) throws SQLException {
    boolean agree = true;
    System.out.println(
        "One answer was lost. kill -9 hit a consumer after a payment was made and before");
    System.out.println("its message was acknowledged, and another consumer went on.");
    System.out.println();
    System.out.printf(
        "  %-9s  %-10s  %-8s  %s%n", "message", "deliveries", "outcome", "payments at the service");
    try (Connection connection = database.getConnection();
        PreparedStatement statement = connection.prepareStatement(PAGE);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        boolean agrees =
            row.getInt("payments") == (row.getString("outcome").equals("paid") ? 1 : 0);
        agree &= agrees;
        System.out.printf(
            "  %-9d  %-10d  %-8s  %d%s%n",
            row.getLong("id"),
            row.getInt("deliveries"),
            row.getString("outcome"),
            row.getInt("payments"),
            agrees ? "" : "  DISAGREES");
      }
    }
    System.out.println();
    return agree;
  }
}
