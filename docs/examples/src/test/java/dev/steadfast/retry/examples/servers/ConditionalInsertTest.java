package dev.steadfast.retry.examples.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.examples.payments.Faults.Point;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ConditionalInsertTest {
  @AutoClose private final TestServer server;

  ConditionalInsertTest() throws IOException, SQLException {
    server = TestServer.conditionalInsert();
  }

  private Told pay(Client client) throws InterruptedException {
    return server.send(client, server.payment("i").key("k"));
  }

  /** The store has carried the batch out, and answers the service with a timeout. */
  @ParameterizedTest
  @EnumSource
  void aTimeoutOfTheStoreIsSettledByTheNextAttempt(Client client) throws Exception {
    server.faults().status(Point.AFTER_KEY, 503);
    Told told = pay(client);
    assertEquals(201, told.status());
    assertEquals(2, told.report().attempts());
    assertTrue(told.report().replayed());
    assertEquals(1, server.payments("i"));
  }

  /** The same timeout, but the batch was not carried out. */
  @ParameterizedTest
  @EnumSource
  void aBatchThatWasNotCarriedOutIsCarriedOutByTheNextAttempt(Client client) throws Exception {
    server.faults().status(Point.BEFORE_KEY, 503);
    Told told = pay(client);
    assertEquals(201, told.status());
    assertEquals(2, told.report().attempts());
    assertFalse(told.report().replayed());
    assertEquals(1, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void theSameKeyWithAnotherRequestIsRefused(Client client) throws Exception {
    pay(client);
    Told other = server.send(client, server.payment("j").key("k"));
    assertEquals(422, other.status());
    assertEquals(StopReason.KEY_REUSED, other.report().reason());
    assertEquals(0, server.payments("j"));
  }

  @ParameterizedTest
  @EnumSource
  void afterItsTimeToLiveAKeyCountsAsNew(Client client) throws Exception {
    pay(client);
    server.execute("update key_rows set expires_at = clock_timestamp()");
    Told again = pay(client);
    assertEquals(201, again.status());
    assertFalse(again.report().replayed());
    assertEquals(2, server.payments("i"));
    assertTrue(pay(client).report().replayed());
  }
}
