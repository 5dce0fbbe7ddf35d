package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A journal whose tables have another schema and other names than by default. */
class TablesTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();

  private TestDatabase database;
  private JdbcJournal journal;

  // Without tables of the default names: a statement that names one of those fails.
  private void open(TestDatabase.Kind kind) throws Exception {
    database = JOURNALS.open(kind);
    database.execute("drop table if exists steadfast_operation");
    database.execute("drop table if exists steadfast_sequence");
    database.execute("drop schema if exists shop cascade");
    database.execute("create schema shop");
    journal = named().createTables().build();
  }

  private JdbcJournal.Builder named() {
    return JdbcJournal.builder(database.source())
        .schema("shop")
        .tablePrefix("steadfast_operation_of_")
        .deliveries(Deliveries.defaults().withMost(1));
  }

  private void enlist(String key, String sequence) throws Exception {
    database.enlist(journal, TestIntents.intent(key), sequence);
  }

  private String state(String key) throws Exception {
    return journal.oversight().find(TestIntents.id(key)).orElseThrow().state().toString();
  }

  private void set(String changes) throws Exception {
    database.execute("update shop.steadfast_operation_of_operation set " + changes);
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.Kind.class)
  void eachStepOfAnOperationFindsThem(TestDatabase.Kind kind) throws Exception {
    open(kind);
    named().createTables().build(); // finds them
    TestJournals.ended(journal, TestIntents.intent("called"), TestIntents.ending(State.SUCCEEDED));
    TestJournals.granted(journal, TestIntents.intent("left"));
    set("lease_until = current_timestamp where op_key = 'left'");
    TestJournals.granted(journal, TestIntents.intent("left"));
    enlist("alone", "");
    enlist("first", "orders");
    enlist("second", "orders");
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      journal.resume(
          TestIntents.sender((in, due) -> {
            Claim.Granted granted = (Claim.Granted) in.claim(due, LEASE);
            assertTrue(in.sending(due, granted));
            sent.add(due.id().key());
            assertTrue(in.ended(due, granted, TestIntents.ending(State.SUCCEEDED)));
          }),
          Which.DUE_AND_UNSETTLED,
          10);
    }
    assertEquals("[alone, first, second]", sent.stream().sorted().toList().toString());
    assertEquals("succeeded", state("second"));
    set(
        "ended_at = ended_at - interval '40' day, key_expires_at = null where ended_at is not"
            + " null");
    assertEquals(4, journal.oversight().purgeable(Duration.ofDays(30)));
    assertEquals(4, journal.purge(Duration.ofDays(30)));
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.Kind.class)
  void eachDecisionFindsThem(TestDatabase.Kind kind) throws Exception {
    open(kind);
    enlist("parked", "orders");
    enlist("stuck", "");
    Oversight oversight = journal.oversight();
    assertEquals(2, oversight.overdue(Duration.ZERO, 10, null).size());
    assertEquals(2, oversight.totals().due());
    assertEquals(Oversight.Decision.DONE, oversight.park(TestIntents.id("parked")));
    assertEquals(1, oversight.parked(10, null).size());
    assertEquals(Oversight.Decision.DONE, oversight.resume(TestIntents.id("parked"), false));
    assertEquals(Oversight.Decision.DONE, oversight.cancel(TestIntents.id("parked")));
    for (int i = 0; i < 2; i++) { // sent once, and then parked by its bound
      set("due_at = current_timestamp where op_key = 'stuck' and state = 'ready'");
      journal.resume(
          TestIntents.sender((in, due) -> {
            if (in.claim(due, LEASE) instanceof Claim.Granted granted) {
              assertTrue(in.sending(due, granted));
              assertTrue(in.ended(due, granted, new Ending(State.READY, null, 1, null)));
            }
          }),
          Which.DUE,
          10);
    }
    assertEquals("parked", state("stuck"));
    assertTrue(oversight.exchange(TestIntents.id("stuck")).isPresent());
    assertTrue(oversight.isSettleable(TestIntents.id("stuck")));
    assertTrue(journal.settle(TestIntents.id("stuck"), Lookup.APPLIED));
    TestJournals.ended(
        journal, TestIntents.intent(Safety.UNSAFE), TestIntents.without(State.UNKNOWN));
    assertEquals(1, journal.unknown(10).size());
    assertEquals(1, oversight.unknown(10, null).size());
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.Kind.class)
  void twoJournalsOfOneDatabaseDoNotMeet(TestDatabase.Kind kind) throws Exception {
    open(kind);
    JdbcJournal other = JdbcJournal.builder(database.source()).createTables().build();
    TestJournals.ended(other, TestIntents.intent("one"), TestIntents.ending(State.SUCCEEDED));
    TestJournals.granted(journal, TestIntents.intent("one"));
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.Kind.class)
  void aSchemaThatIsNotThereIsToldAndSendsNothing(TestDatabase.Kind kind) throws Exception {
    database = JOURNALS.open(kind);
    JdbcJournal.Builder nowhere = JdbcJournal.builder(database.source()).schema("nowhere");
    journal = nowhere.build();
    RefusedException refused =
        assertThrows(
            RefusedException.class,
            () -> TestJournals.claim(journal, TestIntents.intent("order-1")));
    assertEquals(Refusal.UNWRITABLE, refused.refusal());
    assertTrue(
        refused.getMessage().toLowerCase(Locale.ROOT).contains("nowhere"), refused::getMessage);
    assertThrows(IOException.class, () -> nowhere.createTables().build());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1st", "Shop", "a-b", "a b", "a;drop table orders", "\"a\"", "a.b"})
  void anotherFormIsRefused(String name) {
    JdbcJournal.Builder builder = JdbcJournal.builder(new JdbcDataSource());
    for (IllegalArgumentException refused :
        List.of(
            assertThrows(IllegalArgumentException.class, () -> builder.schema(name)),
            assertThrows(IllegalArgumentException.class, () -> builder.tablePrefix(name)))) {
      assertTrue(refused.getMessage().contains(": " + name + " (expected: 1 to "), name);
    }
  }

  @Test
  void aNameThatIsTooLongIsRefused() {
    Tables.defaults().in("s".repeat(63)).withPrefix("p".repeat(40));
    assertThrows(IllegalArgumentException.class, () -> Tables.defaults().in("s".repeat(64)));
    assertThrows(
        IllegalArgumentException.class, () -> Tables.defaults().withPrefix("p".repeat(41)));
  }

  // Also those that no step above runs.
  @ParameterizedTest
  @EnumSource(Dialect.class)
  void eachStatementHasThem(Dialect dialect) throws Exception {
    Tables tables = Tables.defaults().in("shop").withPrefix("paid_");
    Connections connections = new Connections(new JdbcDataSource());
    Parts.Base base = new Parts.Base(new Worker(Worker.threads()), connections, dialect, tables);
    List<String> statements = new ArrayList<>();
    Parts.Options options =
        new Parts.Options(Deliveries.defaults(), new StoredForm(null), System::nanoTime);
    collect(Parts.of(base, options), new HashSet<>(), statements);
    assertTrue(statements.size() > 40, statements::toString);
    for (String each : statements) {
      assertFalse(each.contains("steadfast_"), each);
      assertFalse(each.contains("shop.shop."), each);
    }
  }

  private static void collect(Object part, Set<Object> seen, List<String> statements)
      throws Exception {
    if (part == null
        || !part.getClass().getName().startsWith("dev.steadfast.")
        || !seen.add(part)) {
      return;
    }
    for (Field field : part.getClass().getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        field.setAccessible(true);
        Object value = field.get(part);
        if (value instanceof String text && text.contains(" ")) {
          statements.add(text);
        }
        collect(value, seen, statements);
      }
    }
  }
}
