package dev.steadfast.retry.examples.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.examples.Jvm;
import dev.steadfast.retry.examples.consumer.MessageQueue.Times;
import dev.steadfast.retry.examples.payments.ArmedFaults;
import dev.steadfast.retry.examples.payments.Counterpart;
import dev.steadfast.retry.examples.payments.Faults;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.examples.payments.PaymentsServer;
import dev.steadfast.retry.examples.payments.Settings;
import dev.steadfast.retry.examples.payments.Sql;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that are delivered more than once, and their payments. */
@Timeout(120)
@Tag("laboratory")
final class ConsumerTest {
  private static final int MESSAGES = 5;
  private static final long ABOVE_THE_LIMIT = 2_000_000;

  private final ArmedFaults armed = new ArmedFaults();
  private volatile Faults faults = armed;
  private DataSource database;
  private MessageQueue queue;
  @AutoClose private PaymentsServer service;
  private PaymentHandler payments;

  @BeforeEach
  void start() throws Exception {
    database = Counterpart.database().dataSource();
    queue = MessageQueue.open(database, Times.defaults());
    service = service(0);
    payments = new PaymentHandler(service.uri());
    execute("truncate messages, payment_keys, ledger restart identity");
  }

  private PaymentsServer service(int port) throws IOException, SQLException {
    return PaymentsServer.start(
        database, Settings.defaults(), (point, intent) -> faults.at(point, intent), port);
  }

  private Consumer consumer() {
    return new Consumer(queue, payments);
  }

  private void sendAll() throws SQLException {
    for (int i = 0; i < MESSAGES; i++) {
      queue.send("acme", 100);
    }
  }

  /** What was delivered so far comes again, unless it is acknowledged. */
  private void passTime() throws SQLException {
    execute("update messages set visible_at = clock_timestamp()");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection()) {
      Sql.update(connection, sql);
    }
  }

  /** Of each message: deliveries, outcome, payments. */
  private List<String> messages() throws SQLException {
    List<String> lines = new ArrayList<>();
    for (int id = 1; id <= MESSAGES; id++) {
      line(id).ifPresent(lines::add);
    }
    return lines;
  }

  private Optional<String> line(long id) throws SQLException {
    String sql =
        """
        select deliveries || ' ' || coalesce(outcome, '-') || ' ' || (
            select count(*) from ledger where intent = 'message-' || id)
          from messages where id = ?
        """;
    try (Connection connection = database.getConnection()) {
      return Sql.first(connection, row -> row.getString(1), sql, id);
    }
  }

  @Test
  void aMessageIsHandledAndAcknowledged() throws Exception {
    queue.send("acme", 100);
    queue.send("acme", ABOVE_THE_LIMIT);
    assertTrue(consumer().handleNext());
    assertTrue(consumer().handleNext());
    passTime();
    assertFalse(consumer().handleNext());
    assertEquals(List.of("1 paid 1", "1 declined 0"), messages());
  }

  @Test
  void aMessageThatIsNotAcknowledgedComesAgainAndIsPaidOnce() throws Exception {
    queue.send("acme", 100);
    payments.handle(queue.receive().orElseThrow());
    assertEquals(List.of("1 - 1"), messages());
    assertFalse(consumer().handleNext(), "it is hidden");
    passTime();
    assertTrue(consumer().handleNext());
    assertEquals(List.of("2 paid 1"), messages());
  }

  @Test
  void aLostAnswerIsFetchedAgain() throws Exception {
    queue.send("acme", 100);
    armed.crash(Point.AFTER_COMMIT);
    assertTrue(consumer().handleNext());
    assertEquals(List.of("1 paid 1"), messages());
  }

  @Test
  void twoConsumersWithTheSameMessagePayOnce() throws Exception {
    queue.send("acme", 100);
    Message slow = queue.receive().orElseThrow();
    passTime();
    assertTrue(consumer().handleNext());
    queue.acknowledge(slow, payments.handle(slow).orElseThrow());
    assertEquals(List.of("2 paid 1"), messages());
  }

  @Test
  void aMessageStaysUntilTheServiceAnswers() throws Exception {
    queue.send("acme", 100);
    service.close();
    assertTrue(consumer().handleNext());
    assertEquals(List.of("1 - 0"), messages());
    service = service(service.uri().getPort());
    passTime();
    assertTrue(consumer().handleNext());
    assertEquals(List.of("2 paid 1"), messages());
  }

  @Test
  void aRefusalProvesNothingAfterAnEarlierDelivery() throws Exception {
    queue.send("acme", 100);
    payments.handle(queue.receive().orElseThrow());
    passTime();
    armed.status(Point.BEFORE_KEY, 403);
    assertTrue(consumer().handleNext());
    assertEquals(List.of("2 - 1"), messages());
  }

  @Test
  void afterTheWindowItIsNotSentAgain() throws Exception {
    queue.send("acme", 100);
    payments.handle(queue.receive().orElseThrow());
    passTime();
    execute("update messages set first_delivery = first_delivery - interval '23 hours'");
    execute("truncate payment_keys"); // as the service does after 24 hours
    assertFalse(consumer().handleNext());
    assertEquals(List.of("1 - 1"), messages());
  }

  @Test
  void anotherConsumerGoesOnAfterKillMinus9DuringTheCall() throws Exception {
    sendAll();
    CompletableFuture<Process> first = new CompletableFuture<>();
    faults =
        (point, intent) -> {
          if (point == Point.AFTER_COMMIT && intent.equals("message-3")) {
            Jvm.kill(first.join());
          }
        };
    String url = Counterpart.database().jdbcUrl();
    first.complete(Jvm.start(Consumer.class, url, service.uri().toString(), "PT1H"));
    try {
      first.join().onExit().get(60, TimeUnit.SECONDS);
      assertEquals(137, first.join().exitValue());
    } finally {
      Jvm.kill(first.join());
    }
    assertTheRestIsPaidOnce();
  }

  @Test
  void anotherConsumerGoesOnAfterKillMinus9BetweenCallAndAcknowledgement() throws Exception {
    sendAll();
    String url = Counterpart.database().jdbcUrl();
    Process first = Jvm.start(StuckConsumer.class, url, service.uri().toString(), "3");
    try {
      assertEquals("3 paid", first.inputReader().readLine());
    } finally {
      Jvm.kill(first);
    }
    assertEquals(137, first.exitValue());
    assertTheRestIsPaidOnce();
  }

  private void assertTheRestIsPaidOnce() throws Exception {
    assertEquals(List.of("1 paid 1", "1 paid 1", "1 - 1", "0 - 0", "0 - 0"), messages());
    passTime();
    while (consumer().handleNext()) {
      // the next one
    }
    assertEquals(List.of("1 paid 1", "1 paid 1", "2 paid 1", "1 paid 1", "1 paid 1"), messages());
  }
}
