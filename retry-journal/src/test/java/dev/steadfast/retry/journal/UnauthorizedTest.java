package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** An operation whose client cannot authenticate at the server, over HTTP. */
class UnauthorizedTest {
  private static final int MOST = 3;

  private final List<OperationJournal.Id> told = new ArrayList<>();
  private final AtomicLong nanos = new AtomicLong();

  private void deliver(TestDatabase database, JdbcJournal journal, RetryingHttpClient client)
      throws Exception {
    nanos.addAndGet(Duration.ofHours(1).toNanos()); // after the pauses of its origin
    database.set("due_at = current_timestamp where state = 'ready'");
    journal.resume(client.sender(), Which.DUE, 10);
  }

  @Test
  void itIsParkedAfterItsBoundAndToldOnceAndCanBeResumed() throws Exception {
    try (TestDatabase database = TestDatabase.Kind.H2.open();
        ScriptedServer server = ScriptedServer.start()) {
      server.defaultReply(Reply.status(401));
      JdbcJournal journal =
          JdbcJournal.builder(database.source())
              .deliveries(Deliveries.defaults().withMost(MOST).telling(told::add))
              .ticker(nanos::get)
              .build();
      HttpRetry retry =
          HttpRetry.builder()
              .journal(journal)
              .idempotencyKeys(IdempotencyKeys.randomUuid())
              .build();
      RetryingHttpClient client =
          RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry)
              .with(RetryOptions.builder().journaled("charge", "order-1").build());
      HttpRequest charge =
          HttpRequest.newBuilder(server.uri("/charges"))
              .POST(BodyPublishers.ofString("charge 5"))
              .build();
      database.enlist(journal, client.intent(charge), "");
      for (int i = 0; i < MOST + 2; i++) {
        deliver(database, journal, client);
      }
      OperationJournal.Id id = new OperationJournal.Id("charge", "", "order-1");
      assertEquals(MOST, server.requests().size());
      assertEquals("parked", database.state());
      assertEquals(List.of(id), told);
      RefusedException refused =
          assertThrows(RefusedException.class, () -> client.send(charge, BodyHandlers.ofString()));
      assertEquals(Refusal.PARKED, refused.refusal());

      server.defaultReply(Reply.status(201));
      assertEquals(Oversight.Decision.DONE, journal.oversight().resume(id, false));
      deliver(database, journal, client);
      assertEquals(MOST + 1, server.requests().size());
      assertEquals(State.SUCCEEDED, journal.oversight().find(id).orElseThrow().state());
      assertEquals(1, told.size());
    }
  }
}
