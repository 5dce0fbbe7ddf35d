package dev.steadfast.retry.examples.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.effects.EffectResult;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.examples.guide.EffectivelyOnceGuide;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class OptimisticVersionTest {
  private static final RetryOptions ONCE = EffectivelyOnceGuide.onceWithoutKey();

  @AutoClose private final TestServer server;

  OptimisticVersionTest() throws IOException, SQLException {
    server = TestServer.optimisticVersion();
  }

  private Told read(Client client) throws InterruptedException {
    return server.send(client, Call.get(server.uri("/accounts/acme")));
  }

  private Call write(long amount, String version) {
    return Call.put(server.uri("/accounts/acme"), "amount=" + amount).header("If-Match", version);
  }

  @ParameterizedTest
  @EnumSource
  void aLostSuccessIsSeenByReadingAgain(Client client) throws Exception {
    String version = read(client).headers().apply("ETag");
    server.loseAnswer();
    Told told = server.send(client, write(70, version).options(ONCE));
    assertEquals(412, told.status());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals("{\"amount\":70}", read(client).body());
    assertEquals("\"2\"", read(client).headers().apply("ETag"));
  }

  /** A 412 would not tell whose write it was. */
  @ParameterizedTest
  @EnumSource
  void aWriteWhoseAnswerIsLostIsNotRepeatedByItself(Client client) throws Exception {
    server.loseAnswer();
    Told told = server.send(client, write(70, "\"1\""));
    assertEquals(0, told.status());
    assertEquals(StopReason.NOT_REPLAYABLE, told.report().reason());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals("\"2\"", read(client).headers().apply("ETag"));
  }

  /** The account has the amount that was to be written, and still it was another who wrote it. */
  @ParameterizedTest
  @EnumSource
  void aChangeOfSomebodyElseIsToldByTheFirstAttempt(Client client) throws Exception {
    String version = read(client).headers().apply("ETag");
    assertEquals(200, server.send(client, write(70, version)).status());
    Told told = server.send(client, write(70, version));
    assertEquals(412, told.status());
    assertEquals(Effect.FAILED, told.effect());
    assertEquals("\"2\"", read(client).headers().apply("ETag"));
  }

  /** The account shows it, as its version has grown by one and its amount is that of another. */
  @ParameterizedTest
  @EnumSource
  void afterALostRequestAForeignChangeIsSeenByReading(Client client) throws Exception {
    server.faults().crash(Point.BEFORE_KEY);
    DuringWaits changed =
        new DuringWaits(() -> server.execute("update accounts set amount = 5, version = 2"));
    Told told = server.send(client, write(70, "\"1\"").options(ONCE), changed);
    assertEquals(412, told.status());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals("{\"amount\":5}", read(client).body());
  }

  private EffectResult<Long> update(Client client, UnaryOperator<Long> change) throws Exception {
    return client.update(server.uri("/accounts/acme"), server.inVirtualTime(), change);
  }

  /** The helper reads again by itself. */
  @ParameterizedTest
  @EnumSource
  void theHelperRecognizesItsLostSuccess(Client client) throws Exception {
    EffectResult<Long> result =
        update(
            client,
            amount -> {
              server.loseAnswer(); // of the write that follows
              return amount - 30;
            });
    assertEquals(End.ALREADY_APPLIED, result.end());
    assertEquals(70, result.orElseThrow());
    assertEquals(70, server.number("select amount from accounts"));
  }

  @ParameterizedTest
  @EnumSource
  void theHelperAppliesItsChangeToThatOfSomebodyElse(Client client) throws Exception {
    EffectResult<Long> result =
        update(
            client,
            amount -> {
              if (amount == 100) {
                server.somebodyElse("update accounts set amount = 50, version = 2");
              }
              return amount - 30;
            });
    assertEquals(End.ACCEPTED, result.end());
    assertEquals(20, server.number("select amount from accounts"));
  }

  @ParameterizedTest
  @CsvSource({"'\"0\"', 412", "*, 412", "'W/\"1\"', 412", "'\"99999999999999999999\"', 412"})
  void otherVersionsAreRefused(String version, int status) throws Exception {
    assertEquals(status, server.send(Client.OKHTTP, write(70, version)).status());
    assertEquals(1, server.number("select version from accounts"));
  }

  @ParameterizedTest
  @EnumSource
  void aWriteWithoutAVersionIsRefused(Client client) throws Exception {
    Call blind = Call.put(server.uri("/accounts/acme"), "amount=70");
    assertEquals(428, server.send(client, blind).status());
    assertEquals(1, server.number("select version from accounts"));
  }
}
