package dev.steadfast.retry.journal.dbscheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.kagkarlsson.scheduler.testhelper.ManualScheduler;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Reply;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each step of a delivery, by a scheduler that runs what is due when the test says so. */
class JournalDeliveryTest {
  @AutoClose private static TestDatabase database;

  @AutoClose private Deliveries all;
  private JournalDelivery delivery;
  private ManualScheduler scheduler;

  @BeforeAll
  static void startDatabase() throws Exception {
    database = new TestDatabase();
  }

  @BeforeEach
  void start() throws Exception {
    all = new Deliveries(database);
    all.server.defaultReply(Reply.status(201));
    delivery = all.delivery();
    scheduler = all.manual(delivery, Duration.ZERO);
  }

  private void run() {
    Deliveries.run(scheduler);
  }

  private void sweep() {
    scheduler.start();
    run();
  }

  // The caller's transaction.

  @Test
  void itIsDeliveredIfAndOnlyIfTheCallerCommits() throws Exception {
    Intent charge = all.intent(all.keyed(), "order-1");
    try (Connection own = all.transaction()) {
      assertTrue(delivery.enlist(own, charge));
      own.rollback();
      assertEquals(List.of(), all.wakeups());
      assertEquals(List.of("0"), all.lines("select count(*) from steadfast_operation"));
      order(own);
      assertTrue(delivery.enlist(own, charge));
      assertEquals(List.of(), all.wakeups(), "not before the commit");
      run();
      own.commit();
    }
    assertEquals(1, all.wakeups().size());
    assertEquals(List.of(), all.received());
    run();
    assertEquals(List.of("order-1"), all.received());
    assertEquals("succeeded", all.state("order-1"));
    assertEquals(List.of(), all.wakeups());
    run();
    assertEquals(List.of("order-1"), all.received());
  }

  private static void order(Connection own) throws SQLException {
    try (Statement statement = own.createStatement()) {
      statement.execute("insert into orders (id) values ('order-1')");
    }
  }

  @Test
  void theSameOneTwiceIsDeliveredOnce() throws Exception {
    all.enlist(delivery, "order-1");
    try (Connection own = all.transaction()) {
      order(own);
      assertFalse(delivery.enlist(own, all.intent(all.keyed(), "order-1")));
      assertFalse(delivery.enlist(own, all.intent(all.keyed(), "order-1"), "payments"));
      own.commit();
    }
    assertEquals(1, all.wakeups().size());
    run();
    try (Connection own = all.transaction()) {
      assertFalse(delivery.enlist(own, all.intent(all.keyed(), "order-1")), "finished");
      own.commit();
    }
    run();
    assertEquals(List.of("order-1"), all.received());
    assertEquals(List.of(), all.wakeups());
    assertEquals(List.of("order-1"), all.lines("select id from orders"));
  }

  @Test
  void withoutTheTableOfDbSchedulerTheTransactionIsAsItWas() throws Exception {
    JournalDelivery elsewhere = delivery.inTable("nowhere");
    try (Connection own = all.transaction()) {
      order(own);
      Intent charge = all.intent(all.keyed(), "order-1");
      assertThrows(SQLException.class, () -> elsewhere.enlist(own, charge, "payments"));
      own.commit();
    }
    assertEquals(List.of("order-1"), all.lines("select id from orders"));
    assertEquals(List.of("0"), all.lines("select count(*) from steadfast_operation"));
  }

  @Test
  void anotherTableIsUsedWhereItIsNamed() throws Exception {
    all.execute("create table elsewhere (like scheduled_tasks including all)");
    all.enlist(delivery.inTable("public.elsewhere"), "order-1");
    assertEquals(1, all.lines("select task_instance from elsewhere").size());
    assertEquals(List.of(), all.wakeups());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a.b.c", "tasks; drop table orders", "ö"})
  void whatIsNoTableIsRefused(String table) {
    assertEquals(
        "table: " + table + " (expected: letters, digits, underscores and one dot at most)",
        assertThrows(IllegalArgumentException.class, () -> delivery.inTable(table)).getMessage());
  }

  // When it is sent.

  @Test
  void aDelayOfTheServerIsFollowed() throws Exception {
    all.enlist(delivery, "order-1");
    all.server.enqueue(Reply.status(503).header("Retry-After", "600"));
    run();
    assertEquals(List.of("order-1"), all.received());
    Duration in = all.wakeupAfter(scheduler.getClock().now());
    assertTrue(in.toSeconds() >= 540 && in.toSeconds() <= 660, in::toString);
    scheduler.tick(Duration.ofMinutes(11));
    scheduler.runAnyDueExecutions();
    assertEquals(List.of("order-1"), all.received(), "the journal says that it is not due");
    assertEquals("ready", all.state("order-1"));
    all.passTime();
    scheduler.tick(Duration.ofMinutes(11));
    scheduler.runAnyDueExecutions();
    assertEquals(List.of("order-1", "order-1"), all.received());
    assertEquals("succeeded", all.state("order-1"));
    assertEquals(1, all.keys().size());
    assertEquals(List.of(), all.wakeups());
  }

  @Test
  void waitsGrowWhereTheServerNamesNone() throws Exception {
    all.enlist(delivery, "order-1");
    all.execute("update steadfast_operation set claims = 4"); // the first wait is a second
    all.server.defaultReply(Reply.status(503));
    for (long seconds : new long[] {16, 32, 64}) {
      run();
      long millis = all.wakeupAfter(scheduler.getClock().now()).toMillis();
      assertTrue(millis > 500 * seconds && millis <= 1_500 * seconds, () -> millis + " ms");
      all.passTime();
    }
    assertEquals(3, all.received().size());
  }

  @Test
  void whatAGuardRefusesIsSentLater() throws Exception {
    RetryingHttpClient guarded =
        all.client(
            all.retry().idempotencyKeys(IdempotencyKeys.randomUuid()).guard(new RefusingGuard()));
    JournalDelivery refused = JournalDelivery.over(all.journal, guarded.sender());
    ManualScheduler other = all.manual(refused, Duration.ZERO);
    all.enlist(refused, "order-1");
    Deliveries.run(other);
    assertEquals(List.of(), all.received());
    assertEquals("ready", all.state("order-1"));
    assertEquals(
        List.of("0"),
        all.lines("select coalesce(max(consecutive_failures), 0) from scheduled_tasks"));
    all.passTime();
    run();
    run();
    assertEquals(List.of("order-1"), all.received());
  }

  @Test
  void aJournalThatCannotBeReadIsAskedAgain() throws Exception {
    all.enlist(delivery, "order-1");
    all.execute("alter table steadfast_operation rename to elsewhere");
    run();
    assertEquals(10_000, all.wakeupAfter(scheduler.getClock().now()).plusNanos(500_000).toMillis());
    all.execute("alter table elsewhere rename to steadfast_operation");
    run();
    assertEquals(List.of("order-1"), all.received());
  }

  @ParameterizedTest
  @ValueSource(longs = {-5, 5})
  void aWrongClockDelaysAndNeverDoubles(long hours) throws Exception {
    ManualScheduler wrong = all.manual(delivery, Duration.ofHours(hours));
    all.enlist(delivery, "order-1");
    all.server.enqueue(Reply.status(503).header("Retry-After", "3600"));
    for (int i = 0; i < 3; i++) {
      Deliveries.run(wrong);
      run();
    }
    assertEquals(List.of("order-1"), all.received(), "the journal says that it is not due");
    all.passTime();
    scheduler.tick(Duration.ofHours(7));
    for (int i = 0; i < 3; i++) {
      run();
      Deliveries.run(wrong);
    }
    assertEquals(List.of("order-1", "order-1"), all.received());
    assertEquals(List.of(), all.wakeups());
  }

  // Processes that die.

  @Test
  void aRevivedExecutionSendsNothingWhileTheFirstOneLives() throws Exception {
    all.enlist(delivery, "order-1");
    Intent charge = all.intent(all.keyed(), "order-1");
    Claim.Granted claim = claimed(charge); // by an execution that no longer sends heartbeats
    all.execute(
        "update scheduled_tasks set picked = true, picked_by = 'dead', last_heartbeat = 'epoch'");
    scheduler.runDeadExecutionDetection();
    run();
    assertEquals(List.of(), all.received());
    Duration in = all.wakeupAfter(scheduler.getClock().now());
    assertTrue(in.toSeconds() <= 5, in::toString);
    assertTrue(all.journal.ended(charge, claim, new Ending(State.SUCCEEDED, null, 1, null)));
    run();
    assertEquals(List.of(), all.received());
    assertEquals(List.of(), all.wakeups());
  }

  @Test
  void aRevivedExecutionSendsWithTheSameKeyAfterTheFirstOneDied() throws Exception {
    all.enlist(delivery, "order-1");
    claimed(all.intent(all.keyed(), "order-1"));
    all.execute(
        "update scheduled_tasks set picked = true, picked_by = 'dead', last_heartbeat = 'epoch'");
    all.passTime();
    scheduler.runDeadExecutionDetection();
    run();
    assertEquals(List.of("order-1"), all.received());
    assertEquals("succeeded", all.state("order-1"));
    assertEquals(List.of("2"), all.lines("select claims from steadfast_operation"));
  }

  private Claim.Granted claimed(Intent intent) throws Exception {
    Claim claim = all.journal.claim(intent, Duration.ofSeconds(60));
    Claim.Granted granted = assertInstanceOf(Claim.Granted.class, claim);
    assertTrue(all.journal.sending(intent, granted));
    return granted;
  }

  @Test
  void aCallWhoseProcessDiedIsDelivered() throws Exception {
    RetryingHttpClient keyless = all.client(all.retry());
    claimed(all.intent(all.keyed(), "keyed"));
    claimed(all.intent(keyless, "keyless"));
    sweep();
    assertEquals(List.of(), all.wakeups(), "their owners live");
    all.passTime();
    run();
    assertEquals(1, all.wakeups().size());
    assertEquals("unknown", all.state("keyless"), "it may have been processed");
    run();
    assertEquals(List.of("keyed"), all.received());
    assertEquals("succeeded", all.state("keyed"));
    assertEquals(List.of(), all.wakeups());
  }

  @Test
  void aCallWhoseCallerWasToldIsLeftToIt() throws Exception {
    Intent charge = all.intent(all.keyed(), "order-1");
    assertTrue(all.journal.ended(charge, claimed(charge), new Ending(State.READY, null, 1, null)));
    sweep();
    run();
    assertEquals(List.of(), all.received());
    assertEquals(List.of(), all.wakeups());
  }

  @Test
  void aWakeupThatIsLostIsFound() throws Exception {
    all.enlist(delivery, "order-1");
    all.enlist(delivery, "payments", "order-2", "order-3");
    all.execute("delete from scheduled_tasks");
    sweep();
    assertEquals(2, all.wakeups().size());
    run();
    assertEquals(3, all.received().size());
  }

  @Test
  void aWakeupOfNothingIsRemoved() throws Exception {
    all.execute(
        "insert into scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
            + " select 'steadfast-delivery', each, clock_timestamp(), false, 1"
            + " from unnest(array['operation 999', 'sequence nobody']) as each");
    run();
    assertEquals(List.of(), all.wakeups());
  }

  @Test
  void aRowThatCannotBeReadIsKeptAndOthersAreDelivered() throws Exception {
    all.enlist(delivery, "corrupt");
    all.enlist(delivery, "order-1");
    all.execute("update steadfast_operation set uri = 'no uri \\' where op_key = 'corrupt'");
    sweep();
    run();
    assertEquals(List.of("order-1"), all.received());
    assertEquals("ready", all.state("corrupt"));
    assertEquals(1, all.wakeups().size(), "it is looked at again later");
  }

  // Sequences.

  @Test
  void aSequenceIsDeliveredInItsOrder() throws Exception {
    all.enlist(delivery, "payments", "order-1", "order-2", "order-3");
    all.enlist(delivery, "order-9");
    assertEquals(2, all.wakeups().size(), "one for the sequence");
    all.server.enqueue(Reply.status(201));
    all.server.route(request -> Reply.status(request.bodyText().equals("order-2") ? 503 : 201));
    run();
    assertEquals(
        List.of("order-1", "order-2"),
        all.received().stream().filter(each -> !each.equals("order-9")).toList());
    assertEquals(List.of("sequence payments"), all.wakeups());
    run();
    all.server.route(request -> Reply.status(201));
    all.passTime();
    run();
    assertEquals(
        List.of("order-1", "order-2", "order-2", "order-3"),
        all.received().stream().filter(each -> !each.equals("order-9")).toList());
    assertEquals(List.of(), all.wakeups());
  }

  @Test
  void anUnknownOneHoldsItsSequenceUntilItIsSettled() throws Exception {
    RetryingHttpClient keyless = all.client(all.retry());
    try (Connection own = all.transaction()) {
      assertTrue(delivery.enlist(own, all.intent(keyless, "order-1"), "payments"));
      assertTrue(delivery.enlist(own, all.intent(keyless, "order-2"), "payments"));
      own.commit();
    }
    JournalDelivery plain = JournalDelivery.over(all.journal, keyless.sender());
    ManualScheduler other = all.manual(plain, Duration.ZERO);
    all.server.enqueue(Reply.closeAfterRequest());
    for (int i = 0; i < 3; i++) {
      Deliveries.run(other);
    }
    assertEquals(List.of("order-1"), all.received());
    assertEquals("unknown", all.state("order-1"));
    assertEquals(List.of("sequence payments"), all.wakeups());
    Intent unknown = all.journal.unknown(1).get(0);
    assertTrue(all.journal.settle(unknown.id(), JdbcJournal.Lookup.APPLIED));
    Deliveries.run(other);
    assertEquals(List.of("order-1", "order-2"), all.received());
    assertEquals(List.of(), all.wakeups());
  }

  @Test
  void whatIsEnlistedWhileItsSequenceIsDeliveredIsNotForgotten() throws Exception {
    all.enlist(delivery, "payments", "order-1");
    try (Connection own = all.transaction()) {
      assertTrue(delivery.enlist(own, all.intent(all.keyed(), "order-2"), "payments"));
      run(); // delivers the first one and removes the wake-up that the second one has found
      assertEquals(List.of("sequence payments"), all.wakeups());
      own.commit();
    }
    run();
    assertEquals(List.of("order-1", "order-2"), all.received());
    assertEquals(List.of(), all.wakeups());
  }
}
