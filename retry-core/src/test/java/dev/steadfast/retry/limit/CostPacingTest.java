package dev.steadfast.retry.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Quotas in which requests differ in their cost, without a machine and in virtual time. */
class CostPacingTest {
  private static final long SECOND = 1_000_000_000;
  private static final Quota.Policy TOKENS =
      new Quota.Policy("tokens", null, false, 1000, 60 * SECOND);

  private final QuotaPacing pacing = QuotaPacing.perOrigin();

  private static OperationInfo operation(int cost) {
    return OperationInfo.of("a", "POST a").withCost(cost);
  }

  private void answer(OperationInfo operation, Guard.Permit permit, long remaining, long now) {
    pacing.learn(operation, List.of(quota(remaining, now)), now);
    permit.succeeded(1);
    pacing.operationEnded(operation);
  }

  /** All windows end at full minutes. */
  private static Quota quota(long remaining, long now) {
    return new Quota(TOKENS, remaining, 60 * SECOND - now % (60 * SECOND), 0);
  }

  private void learn(long remaining, long now) {
    pacing.learn(operation(0), List.of(quota(remaining, now)), now);
  }

  private void waits(OperationInfo operation, long now) {
    assertThrows(ServerDelayPendingException.class, () -> pacing.acquire(operation, now));
  }

  private Guard.Permit sends(OperationInfo operation, long now) {
    assertEquals(0, pacing.admitsInNanos(operation, now));
    return pacing.acquire(operation, now);
  }

  @Test
  void whatIsUnderWayIsReserved() {
    learn(1000, 0);
    sends(operation(600), 0);
    OperationInfo second = operation(500);
    waits(second, 0);
    assertEquals(400, pacing.state("a").remaining());
    sends(second, 60 * SECOND);
  }

  @Test
  void whatWasSentBeforeAnythingWasKnownCounts() {
    OperationInfo first = operation(100);
    Guard.Permit permit = pacing.acquire(first, 0);
    pacing.acquire(operation(500), 0);
    pacing.acquire(operation(300), 0);
    answer(first, permit, 900, SECOND);
    assertEquals(100, pacing.state("a").remaining());
    waits(operation(101), SECOND);
  }

  @Test
  void whatWasOvertakenBeforeAnythingWasKnownCounts() {
    pacing.acquire(operation(600), 0);
    OperationInfo second = operation(100);
    Guard.Permit permit = pacing.acquire(second, 0);
    answer(second, permit, 900, SECOND);
    assertEquals(300, pacing.state("a").remaining());
    waits(operation(301), SECOND);
  }

  @Test
  void waitingIsFirstComeFirstServed() {
    learn(1000, 0);
    sends(operation(600), 0);
    OperationInfo large = operation(900);
    waits(large, 0);
    OperationInfo small = operation(10);
    waits(small, 0);
    OperationInfo later = operation(200);
    waits(later, 0);
    assertEquals(3, pacing.state("a").waiting());
    sends(small, 60 * SECOND); // it comes before the large one, for which enough is kept
    waits(later, 60 * SECOND);
    sends(large, 60 * SECOND);
    assertTrue(pacing.admitsInNanos(later, 60 * SECOND) > 0);
    sends(later, 120 * SECOND);
  }

  @Test
  void theHeadersOfAnAnswerSettle() {
    learn(1000, 0);
    OperationInfo dear = operation(900);
    Guard.Permit permit = sends(dear, 0);
    OperationInfo waiting = operation(500);
    waits(waiting, 0);
    assertEquals(SECOND / 2, pacing.admitsInNanos(waiting, 0), "it may be cheaper than it says");
    waits(waiting, SECOND);
    answer(dear, permit, 950, SECOND); // it was
    sends(waiting, SECOND);
    assertEquals(450, pacing.state("a").remaining());
  }

  @Test
  void anAttemptThatWasNotSentGivesItsReservationBack() {
    learn(1000, 0);
    Guard.Permit first = sends(operation(400), 0);
    OperationInfo second = operation(500);
    Guard.Permit permit = sends(second, 0);
    first.unsent();
    assertEquals(500, pacing.state("a").remaining());
    answer(second, permit, 500, SECOND);
    assertEquals(500, pacing.state("a").remaining());
    sends(operation(500), SECOND).unsent();
    assertEquals(500, pacing.state("a").remaining());
    sends(operation(500), SECOND);
    waits(operation(1), SECOND);
  }

  @Test
  void aReservationEndsWithItsOperation_orIfItIsNotUsed() {
    learn(0, 0);
    OperationInfo ended = operation(1000);
    OperationInfo late = operation(1000);
    waits(ended, 0);
    waits(late, 0);
    pacing.operationEnded(ended);
    waits(operation(1000), 0);
    assertEquals(2, pacing.state("a").waiting());
    sends(operation(1000), 182 * SECOND); // both are late
    assertEquals(0, pacing.state("a").waiting());
  }

  @Test
  void aCostAboveTheWholeQuotaFailsAtOnce() {
    learn(10, 0);
    OperationInfo dear = operation(1001);
    IllegalArgumentException bad =
        assertThrows(IllegalArgumentException.class, () -> pacing.acquire(dear, 0));
    assertEquals("cost: 1001 (expected: 1 to 1000, the whole of tokens)", bad.getMessage());
    assertEquals(Guard.NEVER, pacing.admitsInNanos(dear, 0));
    waits(operation(1000), 0);
  }

  @Test
  void withoutACost_oneAtATimeUntilFiveAreKnown_thenWhatMostCost() {
    learn(1000, 0);
    long left = 1000;
    long now = 0;
    for (int i = 0; i < 6; i++) { // the first answer tells of no difference
      OperationInfo alone = operation(0);
      Guard.Permit permit = sends(alone, now);
      OperationInfo other = operation(0);
      waits(other, now);
      assertEquals(SECOND / 2, pacing.admitsInNanos(other, now));
      pacing.operationEnded(other);
      left -= 10 + i * 10;
      now += SECOND;
      answer(alone, permit, left, now);
    }
    assertEquals(790, left);
    for (int i = 0; i < 13; i++) {
      sends(operation(0), now); // 60 each
    }
    assertEquals(10, pacing.state("a").remaining());
    waits(operation(0), now);
  }

  /** A healthy quota whose numbers do not show what calls cost, each of which takes 200 ms. */
  @ParameterizedTest
  @CsvSource({
    "1000, 0", // refilled before the answer comes
    "990, 15",
    "1000, 60000", // less than the step in which the server counts
    "500, 60000",
    "1000, 100000" // counted from each request
  })
  void aCostThatTheServersNumbersDoNotShow_doesNotKeepCallsApartForGood(
      long remaining, long resetMillis) {
    Quota.Policy policy = new Quota.Policy("tokens", null, false, 1000, 0);
    Quota quota = new Quota(policy, remaining, resetMillis * 1_000_000, 0);
    pacing.learn(operation(0), List.of(quota), 0);
    long now = 0;
    for (int i = 0; i < 6; i++) {
      OperationInfo alone = operation(0);
      Guard.Permit permit = sends(alone, now);
      OperationInfo other = operation(0);
      long sent = now;
      ServerDelayPendingException waits =
          assertThrows(ServerDelayPendingException.class, () -> pacing.acquire(other, sent));
      assertTrue(waits.remaining().toMillis() <= 500, waits::getMessage);
      pacing.operationEnded(other);
      now += SECOND / 5;
      pacing.learn(alone, List.of(quota), now);
      permit.succeeded(1);
      pacing.operationEnded(alone);
    }
    for (int i = 0; i < 16; i++) {
      sends(operation(0), now);
    }
  }

  @Test
  void whatTheCallerSaysCountsAsWell() {
    learn(1000, 0);
    for (int i = 0; i < 5; i++) {
      Guard.Permit permit = sends(operation(0), 0);
      permit.succeeded(1);
      pacing.settle("a", 0, 100);
    }
    assertEquals(500, pacing.state("a").remaining());
    pacing.settle("unknown", 0, 100);
    assertThrows(IllegalArgumentException.class, () -> pacing.settle("a", -1, 100));
    assertThrows(IllegalArgumentException.class, () -> pacing.settle("a", 0, -1));
  }

  @Test
  void theStricterOfTwoDecides() {
    Quota.Policy requests = new Quota.Policy("r", null, true, 10, 60 * SECOND);
    pacing.learn(operation(0), List.of(quota(1000, 0), new Quota(requests, 0, 30 * SECOND, 0)), 0);
    OperationInfo cheap = operation(1);
    waits(cheap, 0);
    sends(cheap, 30 * SECOND);
    OperationInfo dear = operation(1000);
    waits(dear, 30 * SECOND + 1);
    assertEquals(0, pacing.admitsInNanos(dear, 60 * SECOND));
  }

  /** The same as a server that refuses what is beyond its quota would see it. */
  @ParameterizedTest
  @CsvSource({"1, true", "2, true", "3, true", "4, true", "5, false", "6, false"})
  void aJobUsesTheQuotaAndIsNotRefused(long seed, boolean tellsCosts) {
    CostWorld.Result result = new CostWorld(seed, tellsCosts ? 1 : 0, tellsCosts ? 1_500 : 2).run();
    assertEquals(500, result.answered(), result::toString);
    // What 95 of 100 prompts cost may be too little for the last one of a window.
    assertTrue(result.refused() <= (tellsCosts ? 0 : 1), result::toString);
    assertTrue(result.used() >= (tellsCosts ? 0.9 : 0.3), result::toString);
  }

  /** Estimates that are too high cost time, not refusals: answers give the difference back. */
  @ParameterizedTest
  @ValueSource(doubles = {1.2, 2})
  void anEstimateThatIsTooHighIsSettled(double times) {
    CostWorld.Result result = new CostWorld(7, times, 400).run();
    assertEquals(0, result.refused(), result::toString);
    assertTrue(result.used() >= 0.6, result::toString);
  }

  /** Its answer tells less than the answer to a request that was sent later. */
  @Test
  void aRequestThatWasOvertakenIsDeducted() {
    learn(1000, 0);
    OperationInfo slow = operation(300);
    Guard.Permit slowPermit = sends(slow, 0);
    OperationInfo fast = operation(100);
    Guard.Permit fastPermit = sends(fast, SECOND);
    answer(fast, fastPermit, 900, 2 * SECOND);
    assertEquals(600, pacing.state("a").remaining(), "nobody knows of the slow one");
    answer(slow, slowPermit, 600, 3 * SECOND);
    assertEquals(600, pacing.state("a").remaining());
  }

  /** A server that has counted it tells so by what is left. */
  @Test
  void aRequestWithoutAnAnswerIsNotDeductedFromWhatALaterAnswerTells() {
    learn(1000, 0);
    Guard.Permit lost = sends(operation(300), 0);
    OperationInfo next = operation(100);
    Guard.Permit permit = sends(next, SECOND);
    answer(next, permit, 850, 2 * SECOND);
    assertEquals(600, pacing.state("a").remaining());
    lost.failed(new Guard.Failure(FailureKind.TIMEOUT, true, 1, 1), new IllegalStateException());
    assertEquals(850, pacing.state("a").remaining());
  }

  /** The body of an answer may take long: it counts until its head is there. */
  @Test
  void requestsCountUntilTheirAnswersAreKnown() {
    Quota.Policy requests = new Quota.Policy("r", null, true, 10, 60 * SECOND);
    List<Quota> all = List.of(quota(1000, 0), new Quota(requests, 10, 60 * SECOND, 0));
    pacing.learn(operation(0), all, 0);
    OperationInfo first = operation(1);
    sends(first, 0);
    assertEquals(1, pacing.state("a").inFlight());
    pacing.learn(first, List.of(new Quota(requests, 9, 59 * SECOND, 0)), SECOND);
    assertEquals(0, pacing.state("a").inFlight());
    assertEquals(9, pacing.state("a").remaining());
  }

  @Test
  void manyThreadsLeaveNothing() {
    List<OperationInfo> all = new ArrayList<>();
    learn(0, 0);
    for (int i = 0; i < 10_000; i++) {
      OperationInfo each = operation(1 + i % 1000);
      waits(each, 0);
      all.add(each);
    }
    assertEquals(10_000, pacing.state("a").waiting());
    all.forEach(pacing::operationEnded);
    assertEquals(new QuotaPacing.State(0, 0, 0), pacing.state("a"));
    assertTrue(pacing.turns.isEmpty());
  }
}
