package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.id;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.keyed;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.text;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two versions of the library on one table. The row here is written as the first version writes it:
 * a change of the code that makes the test fail would lose what users have in their tables.
 */
class LayoutTest {
  private static final String ROW =
      """
      insert into steadfast_operation (name, principal, op_key, fingerprint, method, uri, origin,
        headers, body, repeatable, key_window_ms, key_header, key_line, caller, deliver, state,
        created_at, due_at, again, claims, attempts, deliveries, delivering_since, passed,
        row_version)
      values ('charge', 'tenant', 'order-1', 'f00d', 'POST', 'https://bank.example/pay?a=b',
        'https://bank.example:443', 'Content-Type: text/plain
      Prefer: a=1
      Prefer: b: 2
      ', '5', 'keyed', 86400000, 'Idempotency-Key', 'key-1', 'web', true, 'ready',
        clock_timestamp(), clock_timestamp(), false, 0, 0, 0, clock_timestamp(), false, 1)
      """;

  @AutoClose private TestDatabase database;

  @BeforeEach
  void start() throws IOException {
    database = TestDatabase.postgres();
  }

  @Test
  void aRowOfTheFirstVersionIsSentAsItWas() throws Exception {
    database.execute(ROW);
    List<Intent> found = new ArrayList<>();
    database.journal().resume(sender((in, due) -> found.add(due)), Which.DUE, 1);

    Intent due = found.get(0);
    assertEquals(id("order-1"), due.id());
    assertEquals("web", due.caller());
    assertEquals("f00d", due.fingerprint());
    assertEquals(keyed("key-1"), due.terms());
    assertEquals("POST", due.request().method());
    assertEquals(URI.create("https://bank.example/pay?a=b"), due.request().uri());
    assertEquals(
        Map.of("Content-Type", List.of("text/plain"), "Prefer", List.of("a=1", "b: 2")),
        due.headers());
    assertEquals("5", text(due.request().content()));
  }

  @Test
  void aColumnThatALaterVersionAddsIsLeftAlone() throws Exception {
    database.execute("alter table steadfast_operation add column later text default 'kept'");
    JdbcJournal journal = database.journal();
    Intent called = intent("order-2");
    assertTrue(journal.ended(called, sent(journal, called), ending(State.SUCCEEDED)));
    assertEquals("succeeded kept", database.column("state || ' ' || later", "order-2"));
  }
}
