package dev.steadfast.retry.examples.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.examples.guide.EffectivelyOnceGuide;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DuplicateFilterTest {
  private static final RetryOptions ONCE = EffectivelyOnceGuide.onceWithoutKey();

  @AutoClose private final TestServer server;

  DuplicateFilterTest() throws IOException, SQLException {
    server = TestServer.duplicateFilter();
  }

  private Told pay(Client client, String intent) throws InterruptedException {
    Call call = server.payment(intent).options(ONCE);
    return server.send(client, call, EffectivelyOnceGuide.duplicateFilter());
  }

  private void passWindow() throws SQLException {
    server.execute("update recent_requests set forgotten_at = clock_timestamp()");
  }

  @ParameterizedTest
  @EnumSource
  void theRefusalOfTheRepetitionSaysThatAnEarlierAttemptMayHaveActed(Client client)
      throws Exception {
    server.loseAnswer();
    Told told = pay(client, "i");
    assertEquals(429, told.status());
    assertEquals(StopReason.NOT_RETRYABLE, told.report().reason());
    assertEquals(2, told.report().attempts());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals(1, server.payments("i"));
  }

  /** The request was noted, and died before it was carried out. */
  @ParameterizedTest
  @EnumSource
  void theSameRefusalComesWhereNothingWasDone(Client client) throws Exception {
    server.faults().crash(Point.IN_TRANSACTION);
    Told told = pay(client, "i");
    assertEquals(429, told.status());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals(0, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void aLostCommitIsNotPaidAgain(Client client) throws Exception {
    server.loseCommit();
    Told told = pay(client, "i");
    assertEquals(429, told.status());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals(1, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void afterTheWindowTheRequestCountsAsNew(Client client) throws Exception {
    assertEquals(201, pay(client, "i").status());
    assertEquals(429, pay(client, "i").status());
    passWindow();
    assertEquals(201, pay(client, "i").status());
    assertEquals(2, server.payments("i"));
  }

  /** Somebody wants the same twice, and the filter cannot know. */
  @ParameterizedTest
  @EnumSource
  void anEqualRequestOfAnotherIntentIsRefusedToo(Client client) throws Exception {
    assertEquals(201, pay(client, "coffee").status());
    Told second = pay(client, "coffee");
    assertEquals(429, second.status());
    assertEquals(Effect.FAILED, second.effect());
    assertEquals(1, second.report().attempts());
  }

  /** The standard rules take 429 for a rate limit. This costs attempts, and no payment. */
  @ParameterizedTest
  @EnumSource
  void theStandardRulesRepeatA429UntilNoAttemptIsLeft(Client client) throws Exception {
    server.loseAnswer();
    Told told = server.send(client, server.payment("i").options(ONCE));
    assertEquals(429, told.status());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, told.report().reason());
    assertEquals(1, server.payments("i"));
  }

  /** Why an operation must end before the window does. */
  @ParameterizedTest
  @EnumSource
  void aRepetitionAfterTheWindowPaysTwice(Client client) throws Exception {
    server.loseAnswer();
    Told told =
        server.send(client, server.payment("i").options(ONCE), new DuringWaits(this::passWindow));
    assertEquals(201, told.status());
    assertEquals(2, server.payments("i"));
  }
}
