package dev.steadfast.retry.examples.payments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.examples.payments.ArmedFaults.Stall;
import dev.steadfast.retry.examples.payments.Faults.Point;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the service answers after something broke. */
final class PaymentsFaultsTest {
  private static final Duration PAST_THE_LEASE = Counterpart.LEASE.plusSeconds(1);

  @AutoClose private final Counterpart counterpart;

  PaymentsFaultsTest() throws IOException, SQLException {
    counterpart = new Counterpart();
  }

  private static boolean replayed(HttpResponse<String> answer) {
    return answer.headers().firstValue("Idempotent-Replayed").isPresent();
  }

  private void assertPaysOnce(boolean replayed) throws Exception {
    HttpResponse<String> answer = counterpart.pay("k", "i-1");
    assertEquals(201, answer.statusCode());
    assertEquals(replayed, replayed(answer));
    assertEquals(1, Counterpart.effects("i-1"));
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_KEY", "AFTER_KEY", "IN_TRANSACTION"})
  void anErrorBeforeTheCommitHasNoEffectAndGivesTheKeyBack(Point point) throws Exception {
    counterpart.status(point, 503);
    assertEquals(503, counterpart.pay("k", "i-1").statusCode());
    assertEquals(0, Counterpart.effects("i-1"));
    assertPaysOnce(false);
  }

  @Test
  void anErrorAfterTheCommitIsFollowedByTheStoredAnswer() throws Exception {
    counterpart.status(Point.AFTER_COMMIT, 500);
    assertEquals(500, counterpart.pay("k", "i-1").statusCode());
    assertPaysOnce(true);
  }

  @Test
  void aLostAnswerIsFollowedByTheStoredAnswer() throws Exception {
    counterpart.crash(Point.AFTER_COMMIT);
    assertThrows(IOException.class, () -> counterpart.pay("k", "i-1"));
    assertPaysOnce(true);
  }

  @ParameterizedTest
  @EnumSource(names = {"AFTER_KEY", "IN_TRANSACTION"})
  void afterADeathTheKeyIsFreeWhenItsLeaseEnds(Point point) throws Exception {
    counterpart.crash(point);
    assertThrows(IOException.class, () -> counterpart.pay("k", "i-1"));
    assertEquals(409, counterpart.pay("k", "i-1").statusCode());
    assertEquals(0, Counterpart.effects("i-1"));
    Counterpart.passTime(PAST_THE_LEASE);
    assertPaysOnce(false);
  }

  @Test
  void whoLostItsKeyCannotCommit() throws Exception {
    Stall stall = counterpart.stall(Point.AFTER_KEY);
    CompletableFuture<HttpResponse<String>> frozen = counterpart.paying("k", "i-1");
    stall.awaitReached();
    Counterpart.passTime(PAST_THE_LEASE);
    HttpResponse<String> second = counterpart.pay("k", "i-1");
    assertEquals(201, second.statusCode());
    stall.letGo();
    assertEquals(409, frozen.get(30, TimeUnit.SECONDS).statusCode());
    assertPaysOnce(true);
  }

  @Test
  void whoIsAboutToCommitKeepsItsKey() throws Exception {
    try (Counterpart hasty = new Counterpart(Duration.ZERO, Duration.ofHours(1))) {
      Stall stall = hasty.stall(Point.IN_TRANSACTION);
      CompletableFuture<HttpResponse<String>> slow = hasty.paying("k", "i-1");
      stall.awaitReached();
      assertEquals(409, hasty.pay("k", "i-1").statusCode());
      stall.letGo();
      assertEquals(201, slow.get(30, TimeUnit.SECONDS).statusCode());
      assertTrue(replayed(hasty.pay("k", "i-1")));
      assertEquals(1, Counterpart.effects("i-1"));
    }
  }

  @Test
  void aRestartOfTheDatabaseLosesNothing() throws Exception {
    counterpart.pay("k", "i-1");
    Counterpart.database().stopImmediately();
    try {
      HttpResponse<String> down = counterpart.pay("k2", "i-2");
      assertEquals(503, down.statusCode());
      assertEquals(List.of("1"), down.headers().allValues("Retry-After"));
    } finally {
      Counterpart.database().start();
    }
    assertPaysOnce(true);
    assertEquals(201, counterpart.pay("k2", "i-2").statusCode());
  }

  @Test
  void aRestartWithinTheTransactionHasNoEffect() throws Exception {
    Stall stall = counterpart.stall(Point.IN_TRANSACTION);
    CompletableFuture<HttpResponse<String>> first = counterpart.paying("k", "i-1");
    stall.awaitReached();
    Counterpart.database().stopImmediately();
    Counterpart.database().start();
    stall.letGo();
    assertEquals(503, first.get(30, TimeUnit.SECONDS).statusCode());
    assertEquals(0, Counterpart.effects("i-1"));
    assertPaysOnce(false);
  }
}
