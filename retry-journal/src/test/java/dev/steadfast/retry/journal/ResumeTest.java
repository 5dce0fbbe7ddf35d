package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.postgres.PostgresServer;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operation survives its process, which is killed while the request is on the wire. */
class ResumeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static PostgresServer postgres;
  @AutoClose private static TestDatabase database;

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  @BeforeAll
  static void startDatabase() throws IOException {
    postgres = PostgresServer.temporary();
    database = TestDatabase.on(postgres);
  }

  @BeforeEach
  void empty() throws Exception {
    database.empty();
  }

  private URI target() {
    return server.uri("/pay");
  }

  private void beginAndDie(boolean keyed) throws Exception {
    server.enqueue(Reply.stallAfterRequest());
    Process client = DyingClient.start(postgres.jdbcUrl(), target(), keyed);
    try {
      server.awaitRequests(1, PATIENCE);
    } finally {
      client.destroyForcibly();
      assertTrue(client.waitFor(60, TimeUnit.SECONDS));
    }
    database.endLeases();
  }

  private List<String> keys() {
    return server.requests().stream()
        .map((Received each) -> each.header("Idempotency-Key").orElse("none"))
        .distinct()
        .toList();
  }

  @Test
  void anotherProcessResumesItUnderTheSameKey() throws Exception {
    beginAndDie(true);
    server.enqueue(Reply.status(201));
    RetryingHttpClient client = DyingClient.client(database.source(), true);
    JdbcJournal journal = database.journal();

    assertEquals(1, journal.resume(client.sender(), JdbcJournal.Which.DUE, 10));

    assertEquals("succeeded", database.state());
    assertEquals(2, server.requests().size());
    assertEquals("charge 5", server.requests().get(1).bodyText());
    assertEquals(1, keys().size(), () -> keys().toString());
    assertEquals(0, journal.resume(client.sender(), JdbcJournal.Which.DUE, 10));
  }

  @Test
  void theSameCallSettlesIt() throws Exception {
    beginAndDie(true);
    server.enqueue(Reply.status(201));
    HttpResponse<String> response =
        DyingClient.client(database.source(), true)
            .with(DyingClient.options())
            .send(DyingClient.charge(target()), BodyHandlers.ofString());
    assertEquals(201, response.statusCode());
    assertTrue(JdkReports.of(response).earlierAttemptMayHaveActed());
    assertEquals(1, keys().size(), () -> keys().toString());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutAKeyItIsNeverSentAgain(boolean resumed) throws Exception {
    beginAndDie(false);
    RetryingHttpClient client = DyingClient.client(database.source(), false);
    if (resumed) {
      JdbcJournal journal = database.journal();
      assertEquals(0, journal.resume(client.sender(), JdbcJournal.Which.DUE, 10));
    } else {
      RefusedException refused =
          assertThrows(
              RefusedException.class,
              () ->
                  client
                      .with(DyingClient.options())
                      .send(DyingClient.charge(target()), BodyHandlers.ofString()));
      assertEquals(Refusal.UNKNOWN, refused.refusal());
      assertEquals(
          RetryReport.Effect.UNKNOWN,
          RetryReport.of(refused).orElseThrow().saved().orElseThrow().effect());
    }
    assertEquals("unknown", database.state());
    assertEquals(1, server.requests().size());
  }

  @Test
  void anEnlistedOneIsDeliveredAfterTheCommit() throws Exception {
    JdbcJournal journal = database.journal();
    RetryingHttpClient client = DyingClient.client(database.source(), true);
    Intent charge =
        Intent.of(client.with(DyingClient.options()).intent(DyingClient.charge(target())));
    try (Connection own = database.source().getConnection()) {
      own.setAutoCommit(false);
      assertTrue(journal.enlist(own, charge));
      own.rollback();
      assertEquals(0, journal.resume(client.sender(), JdbcJournal.Which.DUE, 10));
      assertTrue(journal.enlist(own, charge));
      assertEquals(0, journal.resume(client.sender(), JdbcJournal.Which.DUE, 10));
      own.commit();
    }
    server.defaultReply(Reply.status(503));
    assertEquals(1, journal.resume(client.sender(), JdbcJournal.Which.DUE, 10));
    assertEquals("ready", database.state());
    database.set("due_at = due_at + interval '1' hour");
    assertEquals(0, journal.resume(client.sender(), JdbcJournal.Which.DUE, 10), "it waits");

    database.set("due_at = clock_timestamp()"); // it is long ago
    server.defaultReply(Reply.status(201));
    assertEquals(1, journal.resume(client.sender(), JdbcJournal.Which.DUE, 10));
    assertEquals("succeeded", database.state());
    assertEquals(1, keys().size(), () -> keys().toString());
    assertFalse(keys().contains("none"));
  }
}
