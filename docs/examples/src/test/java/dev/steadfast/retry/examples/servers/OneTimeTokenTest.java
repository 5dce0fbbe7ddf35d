package dev.steadfast.retry.examples.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.examples.guide.EffectivelyOnceGuide;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class OneTimeTokenTest {
  private static final RetryOptions ONCE = EffectivelyOnceGuide.onceWithoutKey();

  @AutoClose private final TestServer server;

  OneTimeTokenTest() throws IOException, SQLException {
    server = TestServer.oneTimeToken();
  }

  private String token(Client client) throws InterruptedException {
    Call fetch = Call.post(server.uri("/tokens"), "").options(ONCE);
    return server.send(client, fetch).headers().apply("Payment-Token");
  }

  private Call pay(String token) {
    return server.payment("i").header("Payment-Token", token).options(ONCE);
  }

  /** With the helper, which fetches the token, and needs no options. */
  private EffectResult<String> payWithHelper(Client client, Runnable afterFetch) throws Exception {
    Call fetch = Call.post(server.uri("/tokens"), "");
    return client.payWithToken(
        fetch,
        token -> {
          afterFetch.run();
          return server.payment("i").header("Payment-Token", token);
        },
        server.inVirtualTime());
  }

  @ParameterizedTest
  @EnumSource
  void theHelperDoesNotFetchASecondToken(Client client) throws Exception {
    EffectResult<String> result = payWithHelper(client, server::loseAnswer);
    assertEquals(End.ANSWER_LOST, result.end());
    assertEquals(Effect.UNKNOWN, result.effect());
    assertEquals(410, result.answer().orElseThrow().status());
    assertEquals(1, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void theHelperRepeatsWhatWasNotCarriedOut(Client client) throws Exception {
    EffectResult<String> result =
        payWithHelper(client, () -> server.faults().crash(Point.IN_TRANSACTION));
    assertEquals(End.ACCEPTED, result.end());
    assertEquals(1, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void withoutATokenServerTheHelperPaysNothing(Client client) throws Exception {
    server.close();
    EffectResult<String> result = payWithHelper(client, Assertions::fail);
    assertEquals(End.READ_FAILED, result.end());
    assertEquals(Effect.NEVER_SENT, result.effect());
    assertEquals(0, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void aTokenPaysOnce(Client client) throws Exception {
    String token = token(client);
    assertEquals(201, server.send(client, pay(token)).status());
    Told again = server.send(client, pay(token));
    assertEquals(410, again.status());
    assertEquals(Effect.FAILED, again.effect());
    assertEquals(1, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void aLostTokenIsFetchedAgain(Client client) throws Exception {
    server.loseAnswer();
    assertEquals(201, server.send(client, pay(token(client))).status());
    assertEquals(1, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void aPaymentThatFailedLeavesItsToken(Client client) throws Exception {
    String token = token(client);
    server.faults().crash(Point.IN_TRANSACTION);
    Told told = server.send(client, pay(token));
    assertEquals(201, told.status());
    assertEquals(2, told.report().attempts());
    assertEquals(1, server.payments("i"));
  }

  /** The next attempt finds the token used. */
  @ParameterizedTest
  @EnumSource
  void aLostCommitIsNotPaidAgain(Client client) throws Exception {
    String token = token(client);
    server.loseCommit();
    Told told = server.send(client, pay(token));
    assertEquals(410, told.status());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals(1, server.payments("i"));
  }

  /** Nothing was paid, and the answer is the same as after a payment. */
  @ParameterizedTest
  @EnumSource
  void aTokenThatExpiresBetweenTwoAttemptsLooksUsed(Client client) throws Exception {
    String token = token(client);
    server.faults().crash(Point.IN_TRANSACTION);
    DuringWaits expires =
        new DuringWaits(() -> server.execute("update tokens set valid_until = clock_timestamp()"));
    Told told = server.send(client, pay(token), expires);
    assertEquals(410, told.status());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals(0, server.payments("i"));
  }

  /** A new token is a new payment, so the call is repeated with the old one or not at all. */
  @ParameterizedTest
  @EnumSource
  void aSecondTokenPaysAgain(Client client) throws Exception {
    assertEquals(201, server.send(client, pay(token(client))).status());
    assertEquals(201, server.send(client, pay(token(client))).status());
    assertEquals(2, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void withoutATokenNothingIsPaid(Client client) throws Exception {
    assertEquals(400, server.send(client, server.payment("i")).status());
    assertEquals(410, server.send(client, pay("made-up")).status());
    assertEquals(0, server.payments("i"));
  }
}
