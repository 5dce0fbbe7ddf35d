package dev.steadfast.retry.examples.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.kagkarlsson.scheduler.PollingStrategyConfig;
import com.github.kagkarlsson.scheduler.testhelper.ManualScheduler;
import com.github.kagkarlsson.scheduler.testhelper.SettableClock;
import com.github.kagkarlsson.scheduler.testhelper.TestHelper;
import dev.steadfast.retry.examples.Jvm;
import dev.steadfast.retry.examples.outbox.OrderPage.State;
import dev.steadfast.retry.examples.payments.Counterpart;
import dev.steadfast.retry.examples.payments.Faults;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.examples.payments.PaymentsServer;
import dev.steadfast.retry.examples.payments.Settings;
import dev.steadfast.retry.examples.payments.Sql;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Orders, and what becomes of their payments. */
@Timeout(120)
@Tag("laboratory")
final class OutboxTest {
  private static final long ABOVE_THE_LIMIT = 2_000_000;

  /** How many requests came for each order. */
  private final Map<String, Integer> requests = new ConcurrentHashMap<>();

  private volatile Faults faults = Faults.NONE;
  private Shop shop;
  private PaymentsServer service;
  private ManualScheduler relay;

  @BeforeEach
  void start() throws Exception {
    shop = Shop.open(Counterpart.database().jdbcUrl(), Shop.WINDOW);
    service = service(0);
    execute("truncate orders, steadfast_operation, scheduled_tasks, payment_keys, ledger");
    SettableClock clock = new SettableClock();
    clock.set(Instant.now());
    relay =
        TestHelper.createManualScheduler(shop.database())
            .clock(clock)
            .startTasks(List.of(shop.delivery().task()))
            .pollingStrategy(
                new PollingStrategyConfig(PollingStrategyConfig.Type.LOCK_AND_FETCH, 0.5, 10))
            .build();
  }

  @AfterEach
  void stop() {
    service.close();
    shop.close();
  }

  private PaymentsServer service(int port) throws IOException, SQLException {
    Faults counted =
        (point, order) -> {
          if (point == Point.BEFORE_KEY) {
            requests.merge(order, 1, Integer::sum);
          }
          faults.at(point, order);
        };
    return PaymentsServer.start(shop.database(), Settings.defaults(), counted, port);
  }

  private void place(String order, long amount) throws IOException, SQLException {
    shop.place(new Order(order, "acme", amount), service.uri());
  }

  /** Delivers what is due, on this thread. */
  private void deliver() {
    relay.tick(Duration.ofMinutes(1));
    relay.runAnyDueExecutions();
  }

  private Map<String, State> pages() throws SQLException {
    return OrderPage.states(shop.database());
  }

  private long payments(String order) throws SQLException {
    return number("select count(*) from ledger where intent = '" + order + "'");
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = shop.database().getConnection()) {
      return Sql.first(connection, row -> row.getLong(1), sql).orElseThrow();
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = shop.database().getConnection()) {
      Sql.update(connection, sql);
    }
  }

  /** What was to happen later is due now, and a lease that somebody held is over. */
  private void passTime() throws SQLException {
    execute("update steadfast_operation set due_at = clock_timestamp() where due_at is not null");
    execute(
        "update steadfast_operation set lease_until = clock_timestamp() where state = 'in_flight'");
  }

  @Test
  void aPaymentIsMadeOrDeclined() throws Exception {
    place("order-1", 100);
    place("order-2", ABOVE_THE_LIMIT);
    assertEquals(Map.of("order-1", State.NEVER_SENT, "order-2", State.NEVER_SENT), pages());
    deliver();
    assertEquals(Map.of("order-1", State.SUCCEEDED, "order-2", State.FAILED), pages());
    assertEquals(1, payments("order-1"));
    assertEquals(0, payments("order-2"));
  }

  @Test
  void aServiceThatIsDownGetsItsRequestsLater() throws Exception {
    service.close();
    place("order-1", 100);
    deliver();
    assertEquals(Map.of("order-1", State.NEVER_SENT), pages());
    assertEquals(1, number("select claims from steadfast_operation"), "it was tried");
    service = service(service.uri().getPort());
    passTime();
    deliver();
    assertEquals(Map.of("order-1", State.SUCCEEDED), pages());
    assertEquals(1, payments("order-1"));
  }

  @Test
  void whatNobodyKnowsIsSettledByTheService() throws Exception {
    faults =
        (point, order) -> {
          boolean paid = requests.get(order) > 1;
          if (point == Point.AFTER_COMMIT
              || (point == Point.BEFORE_KEY && (order.equals("order-2") || paid))) {
            throw Faults.crash();
          }
        };
    place("order-1", 100);
    place("order-2", 100);
    deliver();
    Map<String, State> unknown = Map.of("order-1", State.UNKNOWN, "order-2", State.UNKNOWN);
    assertEquals(unknown, pages());
    assertEquals(List.of(), shop.journal().unknown(100), "it is sent again within the window");
    execute("update steadfast_operation set key_expires_at = clock_timestamp()");
    passTime();
    Map<String, Integer> before = Map.copyOf(requests);
    deliver();
    assertEquals(unknown, pages());
    assertEquals(before, requests, "nothing is sent after the window");
    new Clerk().settle(shop.journal());
    assertEquals(Map.of("order-1", State.SUCCEEDED, "order-2", State.FAILED), pages());
    assertEquals(1, payments("order-1"));
    assertEquals(0, payments("order-2"));
  }

  @Test
  void anOrderThatIsRolledBackIsNotPaid() throws Exception {
    try (Connection connection = shop.database().getConnection()) {
      connection.setAutoCommit(false);
      shop.place(connection, new Order("order-1", "acme", 100), service.uri());
      connection.rollback();
    }
    place("order-2", 100);
    deliver();
    assertEquals(Map.of("order-2", State.SUCCEEDED), pages());
    assertEquals(Map.of("order-2", 1), requests);
  }

  @Test
  void anotherRelayGoesOnAfterKillMinus9() throws Exception {
    CompletableFuture<Process> first = new CompletableFuture<>();
    faults =
        (point, order) -> {
          if (point == Point.AFTER_COMMIT && order.equals("order-5")) {
            Jvm.kill(first.join());
            throw Faults.crash();
          }
        };
    for (int i = 1; i <= 9; i++) {
      place("order-" + i, 100);
    }
    first.complete(startRelay());
    try {
      first.join().onExit().get(60, TimeUnit.SECONDS);
      assertEquals(137, first.join().exitValue());
      assertTrue(pages().containsValue(State.UNKNOWN), "it was in the middle");
    } finally {
      Jvm.kill(first.join());
    }
    passTime();
    execute("update scheduled_tasks set last_heartbeat = 'epoch' where picked");
    Process second = startRelay();
    try {
      while (!pages().values().stream().allMatch(State.SUCCEEDED::equals)) {
        Thread.onSpinWait(); // bounded by the time limit of the test
      }
    } finally {
      Jvm.kill(second);
    }
    assertEquals(2, requests.get("order-5"));
    assertEquals(Collections.nCopies(9, 1L), eachPayments());
  }

  private static Process startRelay() throws IOException {
    return Jvm.start(Relay.class, Counterpart.database().jdbcUrl());
  }

  private List<Long> eachPayments() throws SQLException {
    List<Long> each = new ArrayList<>();
    for (String order : pages().keySet()) {
      each.add(payments(order));
    }
    return each;
  }
}
