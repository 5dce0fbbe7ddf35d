package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.internal.OriginTable;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When the gate of an origin is shut, and for how long. */
class ServerDelayGateTest {
  private static final long SECOND = 1_000_000_000L;
  private static final OperationInfo A = OperationInfo.of("https://a:443", "GET https://a:443/");
  private static final OperationInfo B = OperationInfo.of("https://b:443", "GET https://b:443/");
  private static final RetryPolicy POLICY = RetryPolicy.defaults();

  private long now = 5;
  private final ServerDelayGate gate = new ServerDelayGate();

  private void learn(int status, Duration serverDelay) {
    gate.learn(A.origin(), told(status, ServerDelay.atLeast(serverDelay)), POLICY, now);
  }

  private static ServerDelayGate.ServerAnswer told(int status, ServerDelay serverDelay) {
    return new ServerDelayGate.ServerAnswer(status, StandardRules.kind(status), serverDelay);
  }

  private void learnOverload(long nowNanos) {
    gate.learn(A.origin(), told(529, ServerDelay.none()), POLICY, nowNanos);
  }

  @Test
  void a429OrA503WithAServerDelay_shutsTheGateOfItsOrigin() {
    for (int status : new int[] {429, 503}) {
      learn(status, Duration.ofSeconds(7));
      assertEquals(7 * SECOND, gate.admitsInNanos(A, now));
      assertEquals(7 * SECOND, gate.spreadNanos(A, now));
      ServerDelayPendingException refused =
          assertThrows(ServerDelayPendingException.class, () -> gate.acquire(A, now));
      assertEquals(Duration.ofSeconds(7), refused.remaining());
      assertEquals("the server asked to wait, 7s are left", refused.getMessage());
      assertEquals(0, gate.admitsInNanos(B, now));
      assertDoesNotThrow(() -> gate.acquire(B, now));
      now += 10 * SECOND;
      assertEquals(0, gate.admitsInNanos(A, now));
    }
  }

  @Test
  void a529WithoutAServerDelay_letsOnePass_andIsShutForTwiceAsLong() {
    learnOverload(now);
    for (long seconds : new long[] {1, 2, 3, 3}) {
      assertEquals(seconds * SECOND, gate.admitsInNanos(A, now));
      assertEquals(seconds * SECOND / 4, gate.spreadNanos(A, now));
      learnOverload(now + SECOND / 2);
      assertEquals(seconds * SECOND, gate.admitsInNanos(A, now), "sent before it was shut");
      now += seconds * SECOND + SECOND / 2;
      assertEquals(0, gate.admitsInNanos(A, now));
      gate.acquire(A, now);
      assertThrows(ServerDelayPendingException.class, () -> gate.acquire(A, now));
      assertEquals(3 * SECOND / 10, gate.admitsInNanos(A, now));
      learnOverload(now);
    }
    now += 3 * SECOND;
    Guard.Permit probe = gate.acquire(A, now);
    probe.succeeded(1);
    assertDoesNotThrow(() -> gate.acquire(A, now));
    assertDoesNotThrow(() -> gate.acquire(A, now));
    learnOverload(now);
    assertEquals(SECOND, gate.admitsInNanos(A, now), "another overload");
    now += 20 * SECOND;
    assertDoesNotThrow(() -> gate.acquire(A, now));
    assertDoesNotThrow(() -> gate.acquire(A, now), "it was long ago");
  }

  /** A 503 or a stream of the status 200, if the rules say so. */
  @Test
  void anyOverload_isLikeA529() {
    for (int status : new int[] {503, 200}) {
      ServerDelayGate own = new ServerDelayGate();
      ServerDelayGate.ServerAnswer overload =
          new ServerDelayGate.ServerAnswer(status, FailureKind.THROTTLED, ServerDelay.none());
      own.learn(A.origin(), overload, POLICY, now);
      assertEquals(SECOND, own.admitsInNanos(A, now));
      ServerDelayGate.ServerAnswer later =
          new ServerDelayGate.ServerAnswer(
              status, FailureKind.THROTTLED, ServerDelay.atLeast(Duration.ofSeconds(7)));
      own.learn(A.origin(), later, POLICY, now);
      assertEquals(7 * SECOND, own.admitsInNanos(A, now));
    }
  }

  @Test
  void aProbeThatIsLostLetsAnotherOnePass() {
    learnOverload(now);
    now += SECOND;
    gate.acquire(A, now).released();
    assertThrows(ServerDelayPendingException.class, () -> gate.acquire(A, now));
    now += SECOND / 2;
    gate.acquire(A, now);
  }

  @Test
  void theSpreadIsThePolicysShareOfTheServerDelay() {
    RetryPolicy half = RetryPolicy.builder().serverDelaySpread(0.5).build();
    gate.learn(A.origin(), told(429, ServerDelay.atLeast(Duration.ofSeconds(8))), half, now);
    assertEquals(4 * SECOND, gate.spreadNanos(A, now));
  }

  @Test
  void anythingElseDoesNot() {
    learn(500, Duration.ofSeconds(7));
    learn(409, Duration.ofSeconds(7));
    learn(429, Duration.ZERO);
    gate.learn(A.origin(), told(429, ServerDelay.none()), POLICY, now);
    gate.learn(A.origin(), told(503, ServerDelay.none()), POLICY, now);
    assertEquals(0, gate.admitsInNanos(A, now));
    assertEquals(0, gate.size());
  }

  @Test
  void theLaterOfTwoServerDelaysHolds() {
    learn(429, Duration.ofSeconds(7));
    learn(429, Duration.ofSeconds(3));
    assertEquals(7 * SECOND, gate.admitsInNanos(A, now));
    learn(429, Duration.ofSeconds(9));
    assertEquals(9 * SECOND, gate.admitsInNanos(A, now));
  }

  @Test
  void aServerDelayIsBoundedByTheCeiling_andItsSpreadByTenSeconds() {
    learn(429, Duration.ofDays(365_000));
    assertEquals(60 * SECOND, gate.admitsInNanos(A, now));
    assertEquals(10 * SECOND, gate.spreadNanos(A, now));
  }

  @Test
  void atItsEndItOpens() {
    learn(429, Duration.ofSeconds(1));
    now += SECOND - 1;
    assertThrows(ServerDelayPendingException.class, () -> gate.acquire(A, now));
    assertEquals(1, gate.admitsInNanos(A, now));
    now += 1;
    assertDoesNotThrow(() -> gate.acquire(A, now));
    // Who was refused a moment ago asks only now: it is to come, at once.
    assertEquals(1, gate.admitsInNanos(A, now));
    assertEquals(0, gate.spreadNanos(A, now));
    now += SECOND;
    assertEquals(0, gate.admitsInNanos(A, now));
  }

  @Test
  void origins_areBoundedInNumber_andOldGatesMakeRoom() {
    for (int i = 0; i < 5_000; i++) {
      gate.learn("h" + i, told(429, ServerDelay.atLeast(Duration.ofSeconds(1))), POLICY, now);
    }
    assertEquals(OriginTable.MOST, gate.size());
    assertEquals(
        0, gate.admitsInNanos(OperationInfo.of("h4999", "x"), now)); // no room: not held back
    now += 2 * SECOND;
    learn(429, Duration.ofSeconds(7));
    assertEquals(OriginTable.MOST, gate.size());
    assertEquals(7 * SECOND, gate.admitsInNanos(A, now));
    // Those that are shut stay, however many come after them.
    for (int i = 0; i < 3 * OriginTable.MOST; i++) {
      gate.learn("i" + i, told(429, ServerDelay.atLeast(Duration.ofSeconds(1))), POLICY, now);
    }
    assertEquals(7 * SECOND, gate.admitsInNanos(A, now));
  }
}
