package dev.steadfast.retry.examples.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class OperationLogTest {
  @AutoClose private final TestServer server;

  OperationLogTest() throws IOException, SQLException {
    server = TestServer.operationLog();
  }

  private String total(Client client) throws InterruptedException {
    return server.send(client, Call.get(server.uri("/total"))).body();
  }

  @ParameterizedTest
  @EnumSource
  void aRepetitionGetsTheAnswerOfItsEntry(Client client) throws Exception {
    Told first = server.send(client, server.payment("i").key("k"));
    server.loseAnswer();
    Told other = server.send(client, server.payment("j").key("l"));
    Told again = server.send(client, server.payment("i").key("k"));
    assertEquals(201, again.status());
    assertTrue(other.report().replayed());
    assertTrue(again.report().replayed());
    assertEquals(first.body(), again.body());
    assertEquals("{\"total\":200}", total(client));
  }

  @ParameterizedTest
  @EnumSource
  void theSameKeyWithAnotherRequestIsRefused(Client client) throws Exception {
    server.send(client, server.payment("i").key("k"));
    Told other = server.send(client, server.payment("j").key("k"));
    assertEquals(422, other.status());
    assertEquals(StopReason.KEY_REUSED, other.report().reason());
    assertEquals("{\"total\":100}", total(client));
  }

  /** The retention is that of the entries. */
  @ParameterizedTest
  @EnumSource
  void aKeyWhoseEntryWasDroppedIsCarriedOutAgain(Client client) throws Exception {
    Told first = server.send(client, server.payment("i").key("k"));
    server.execute("delete from operation_log");
    Told again = server.send(client, server.payment("i").key("k"));
    assertEquals(201, again.status());
    assertFalse(again.report().replayed());
    assertNotEquals(first.body(), again.body());
  }
}
