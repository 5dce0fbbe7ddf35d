package dev.steadfast.retry.examples.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.examples.guide.EffectivelyOnceGuide;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class NaturalKeyTest {
  @AutoClose private final TestServer server;

  NaturalKeyTest() throws IOException, SQLException {
    server = TestServer.naturalKey();
  }

  private Call post(String number, long amount) {
    return Call.post(server.uri("/orders"), "intent=" + number + "&amount=" + amount)
        .options(EffectivelyOnceGuide.onceWithoutKey());
  }

  private Call put(String number, long amount) {
    return Call.put(server.uri("/orders/" + number), "amount=" + amount);
  }

  /** The 409 names the place of the order, and there the caller sees whether it is its own. */
  @ParameterizedTest
  @EnumSource
  void theCallerLooksAtTheOrderThatExists(Client client) throws Exception {
    server.loseAnswer();
    Told told = server.send(client, post("i", 100));
    assertEquals(409, told.status());
    assertEquals(Effect.UNKNOWN, told.effect());
    Call get = Call.get(server.uri(told.headers().apply("Location")));
    assertEquals("{\"number\":\"i\",\"amount\":100}", server.send(client, get).body());
    assertEquals(1, server.payments("i"));
  }

  /** Somebody else took the number: the first attempt already says so. */
  @ParameterizedTest
  @EnumSource
  void aNumberThatIsTakenIsNoEcho(Client client) throws Exception {
    server.send(client, post("i", 100));
    Told told = server.send(client, post("i", 70));
    assertEquals(409, told.status());
    assertEquals(Effect.FAILED, told.effect());
    assertEquals(1, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void aRepeatedPutGetsItsOrder(Client client) throws Exception {
    assertEquals(201, server.send(client, put("i", 100)).status());
    assertEquals(200, server.send(client, put("i", 100)).status());
    assertEquals(409, server.send(client, put("i", 70)).status());
    assertEquals(1, server.payments("i"));
  }

  /** The next attempt finds the order. */
  @ParameterizedTest
  @EnumSource
  void aLostCommitIsNotPaidAgain(Client client) throws Exception {
    server.loseCommit();
    Told told = server.send(client, put("i", 100));
    assertEquals(200, told.status());
    assertEquals(Effect.SUCCEEDED, told.effect());
    assertEquals(1, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void anOrderThatWasDeletedIsMadeAgain(Client client) throws Exception {
    server.loseAnswer();
    DuringWaits deleted = new DuringWaits(() -> server.execute("delete from orders"));
    assertEquals(201, server.send(client, put("i", 100), deleted).status());
    assertEquals(2, server.payments("i"));
  }
}
