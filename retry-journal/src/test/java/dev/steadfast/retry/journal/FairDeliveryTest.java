package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.sender;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.Request;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A destination that does not answer holds up no other one. */
@ParameterizedClass
@EnumSource(TestDatabase.Kind.class)
class FairDeliveryTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();
  private static final Ending DONE = new Ending(State.SUCCEEDED, null, 1, null);
  private static final Ending NO_CONNECTION = new Ending(State.CLOSED, null, 1, null);
  private static final Ending OVERLOADED =
      new Ending(State.READY, new Answer(503, new Content(Map.of(), new byte[0])), 1, null);

  @Parameter private TestDatabase.Kind kind;

  private final Map<String, Integer> requests = new HashMap<>();
  private final Map<String, Ending> endings = new HashMap<>();
  private TestDatabase database;
  private final AtomicLong nanos = new AtomicLong();
  private JdbcJournal journal;

  private final Sender sender =
      sender((in, due) -> {
        if (!(in.claim(due, Duration.ofSeconds(30)) instanceof Claim.Granted granted)) {
          throw new RefusedException(Refusal.IN_FLIGHT, "somebody else has it", null);
        }
        String host = due.request().uri().getHost();
        requests.merge(host, 1, Integer::sum);
        Ending ending = endings.getOrDefault(host, DONE);
        assertTrue(in.sending(due, granted));
        assertTrue(in.ended(due, granted, ending));
        if (ending.equals(NO_CONNECTION)) {
          throw new IOException("no connection");
        }
      });

  @BeforeEach
  void begin() throws Exception {
    database = JOURNALS.emptied(kind);
    journal = JdbcJournal.builder(database.source()).ticker(nanos::get).build();
  }

  private void enlist(String host, int operations) throws Exception {
    Wakeups wakeups = journal.wakeups((connection, names, in) -> {});
    try (Connection own = database.source().getConnection()) {
      own.setAutoCommit(false);
      for (int i = 0; i < operations; i++) {
        Intent any = TestIntents.intent(host + "-" + i);
        Request request =
            new Request("POST", URI.create("https://" + host + "/pay"), any.request().content());
        assertTrue(
            wakeups.enlist(
                own, new Intent(any.id(), "", request, any.fingerprint(), any.terms()), null));
      }
      own.commit();
    }
  }

  @Test
  void theLivingOneIsServedAndTheBacklogOfTheDeadOneStays() throws Exception {
    enlist("dead.example", 300);
    enlist("alive.example", 30);
    endings.put("dead.example", NO_CONNECTION);
    int sent = journal.resume(sender, Which.DUE, 1_000);
    int tried = requests.get("dead.example");
    assertEquals(30, requests.get("alive.example"));
    assertEquals(30 + tried, sent);
    assertEquals(3, tried);
    assertEquals("300", database.column("sum(case when state = 'ready' then 1 else 0 end)"));
    assertEquals("30", database.column("sum(deliveries)"), "an outage is no attempt");
  }

  @Test
  void whatIsHeldBackIsWokenLater() throws Exception {
    enlist("dead.example", 4);
    endings.put("dead.example", NO_CONNECTION);
    journal.resume(sender, Which.DUE, 1_000);
    Wakeups wakeups = journal.wakeups((connection, names, in) -> {});
    String last = "operation " + database.column("id", "dead.example-3");
    Optional<Duration> again = wakeups.wake(sender, last);
    assertTrue(again.orElseThrow().compareTo(Duration.ZERO) > 0);
    assertEquals(3, requests.get("dead.example"));
  }

  @Test
  void repeatedDeliveriesArePaidFor() throws Exception {
    int operations = 60;
    enlist("busy.example", operations);
    endings.put("busy.example", OVERLOADED);
    database.execute("delete from steadfast_sequence");
    int seconds = 5;
    for (int i = 0; i < seconds; i++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      database.set("due_at = current_timestamp where state = 'ready'");
      // Without the budget this would be a storm.
      journal.resume(sender, Which.DUE, 1_000);
    }
    int made = requests.get("busy.example");
    assertTrue(made >= operations && made <= operations + 10 + seconds, () -> made + " requests");
  }
}
