package dev.steadfast.retry.examples.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.examples.payments.ArmedFaults.Stall;
import dev.steadfast.retry.examples.payments.Faults.Point;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@EnabledIf("dev.steadfast.retry.examples.servers.RedisServer#installed")
final class RedisLockTest {
  private RedisServer redis;
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    redis = new RedisServer();
    server = TestServer.redisLock(redis);
  }

  @AfterEach
  void close() {
    server.close();
    redis.close();
  }

  private Told pay(Client client) throws InterruptedException {
    return server.send(client, server.payment("i").key("k"));
  }

  private static <T> FutureTask<T> begin(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    new Thread(task).start();
    return task;
  }

  @ParameterizedTest
  @EnumSource
  void theStoredAnswerIsReplayed(Client client) throws Exception {
    Told first = pay(client);
    Told second = pay(client);
    assertEquals(201, second.status());
    assertEquals(first.body(), second.body());
    assertFalse(first.report().replayed());
    assertTrue(second.report().replayed());
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
  void whileTheKeyIsLockedARequestWaitsForTheAnswer(Client client) throws Exception {
    Stall stall = server.faults().stall(Point.IN_TRANSACTION);
    FutureTask<Told> first = begin(() -> pay(client));
    stall.awaitReached();
    DuringWaits letsTheFirstGoOn =
        new DuringWaits(() -> {
          stall.letGo();
          first.get(30, TimeUnit.SECONDS);
        });
    Told second = server.send(client, server.payment("i").key("k"), letsTheFirstGoOn);
    assertEquals(List.of(Duration.ofSeconds(1)), letsTheFirstGoOn.waits());
    assertTrue(second.report().replayed());
    assertEquals(first.get().body(), second.body());
    assertEquals(1, server.payments("i"));
  }

  /** Both callers are told of a success, and none of the other one. */
  @ParameterizedTest
  @EnumSource
  void aLockThatExpiresDuringTheWorkLetsASecondPaymentIn(Client client) throws Exception {
    Stall stall = server.faults().stall(Point.IN_TRANSACTION);
    FutureTask<Told> first = begin(() -> pay(client));
    stall.awaitReached();
    redis.expireAll();
    Told second = pay(client);
    stall.letGo();
    assertSuccess(second);
    assertSuccess(first.get(30, TimeUnit.SECONDS));
    assertEquals(2, server.payments("i"));
    // The request that lost its lock has not replaced the answer of the one after it.
    assertEquals(second.body(), pay(client).body());
  }

  private static void assertSuccess(Told told) {
    assertEquals(201, told.status());
    assertFalse(told.report().replayed());
    assertEquals(Effect.SUCCEEDED, told.effect());
  }

  @ParameterizedTest
  @EnumSource
  void aKeyWhoseAnswerWasFlushedIsPaidAgain(Client client) throws Exception {
    server.loseAnswer();
    Told told = server.send(client, server.payment("i").key("k"), new DuringWaits(redis::flush));
    assertSuccess(told);
    assertTrue(told.report().earlierAttemptMayHaveActed());
    assertEquals(2, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void afterItsRetentionAKeyIsPaidAgain(Client client) throws Exception {
    pay(client);
    redis.expireAll();
    assertSuccess(pay(client));
    assertEquals(2, server.payments("i"));
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsPaidWhileRedisIsGone(Client client) throws Exception {
    redis.kill();
    Told told = pay(client);
    assertEquals(503, told.status());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, told.report().reason());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals(0, server.payments("i"));
    redis.start();
    assertSuccess(pay(client));
    assertEquals(1, server.payments("i"));
  }

  /** The client is told of its payment; the key is forgotten. */
  @ParameterizedTest
  @EnumSource
  void ifRedisDiesDuringTheWorkTheKeyIsForgotten(Client client) throws Exception {
    Stall stall = server.faults().stall(Point.IN_TRANSACTION);
    FutureTask<Told> first = begin(() -> pay(client));
    stall.awaitReached();
    redis.kill();
    stall.letGo();
    assertSuccess(first.get(30, TimeUnit.SECONDS));
    assertEquals(1, server.payments("i"));
    redis.start();
    assertSuccess(pay(client));
    assertEquals(2, server.payments("i"));
  }

  /** The client is told the same as after work that failed, and there the key was safe. */
  @ParameterizedTest
  @EnumSource
  void afterALostCommitTheKeyIsPaidAgain(Client client) throws Exception {
    server.loseCommit();
    Told told = pay(client);
    assertEquals(409, told.status());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, told.report().reason());
    assertEquals(Effect.UNKNOWN, told.effect());
    assertEquals(1, server.payments("i"));
    redis.expireAll();
    assertSuccess(pay(client));
    assertEquals(2, server.payments("i"));
  }

  /** The work failed, and its lock stays until it expires. */
  @ParameterizedTest
  @EnumSource
  void afterAFailureTheKeyStaysLockedForAWhile(Client client) throws Exception {
    server.faults().crash(Point.IN_TRANSACTION);
    Told told = pay(client);
    assertEquals(409, told.status());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, told.report().reason());
    assertEquals(Effect.UNKNOWN, told.effect());
    redis.expireAll();
    assertSuccess(pay(client));
    assertEquals(1, server.payments("i"));
  }
}
