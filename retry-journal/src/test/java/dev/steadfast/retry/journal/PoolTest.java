package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.zaxxer.hikari.HikariDataSource;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool that has no connection for the journal. */
@Timeout(120)
class PoolTest {
  @Test
  void aPoolThatCannotStartIsUnreachable() {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:1/postgres?user=postgres");
      RefusedException refused =
          assertThrows(RefusedException.class, () -> JdbcJournal.builder(pool).build());
      assertEquals(Refusal.UNREACHABLE, refused.refusal());
    }
  }

  @Test
  void aCallThatHoldsTheOnlyConnectionEndsByItsDeadlineAndSendsNothing() throws Exception {
    try (TestDatabase database = TestDatabase.postgres();
        HikariDataSource pool = new HikariDataSource();
        ScriptedServer server = ScriptedServer.start()) {
      pool.setDataSource(database.source());
      pool.setMaximumPoolSize(1);
      server.defaultReply(Reply.status(201));
      RetryingHttpClient client = DyingClient.client(pool, true);
      RetryOptions soon =
          RetryOptions.builder()
              .journaled("charge", "order-1")
              .deadline(Duration.ofMillis(500))
              .build();
      try (Connection own = pool.getConnection();
          Statement statement = own.createStatement()) {
        own.setAutoCommit(false);
        statement.execute("create table orders (id integer)");
        assertThrows(
            IOException.class,
            () ->
                client
                    .with(soon)
                    .send(DyingClient.charge(server.uri("/pay")), BodyHandlers.ofString()));
        assertEquals(0, server.requests().size());
        own.commit(); // the transaction was not touched
      }
      // The claim that came too late is given back, so the operation can be begun.
      HttpResponse<String> response =
          client
              .with(DyingClient.options())
              .send(DyingClient.charge(server.uri("/pay")), BodyHandlers.ofString());
      assertEquals(201, response.statusCode());
      assertEquals(1, server.requests().size());
      assertEquals("succeeded", database.state());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCallWithinATransactionThatIsRolledBackIsRemembered(boolean autoCommit) throws Exception {
    try (TestDatabase database = TestDatabase.postgres();
        HikariDataSource pool = new HikariDataSource();
        ScriptedServer server = ScriptedServer.start()) {
      pool.setDataSource(database.source());
      pool.setMaximumPoolSize(2);
      pool.setAutoCommit(autoCommit);
      server.defaultReply(Reply.status(201));
      RetryingHttpClient client = DyingClient.client(pool, true).with(DyingClient.options());
      for (int i = 0; i < 2; i++) {
        try (Connection own = pool.getConnection()) {
          own.setAutoCommit(false);
          client.send(DyingClient.charge(server.uri("/pay")), BodyHandlers.ofString());
          own.rollback();
        }
      }
      assertEquals(1, server.requests().size());
      assertEquals("succeeded", database.state());
    }
  }
}
