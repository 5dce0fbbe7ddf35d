package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Budgets say how many retries they would pay for, and pay for that many. */
class AvailableRetriesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final String ORIGIN = "https://api.example.com:443";

  static Stream<RetryBudget> bounded() {
    return Stream.of(
        RetryBudget.perOrigin(0.1),
        RetryBudget.successFunded(0.25, 7, 2),
        RetryBudget.successFunded(0.5, 0, 0),
        RetryBudget.requestFunded(0.5, 1, Duration.ofSeconds(10)),
        RetryBudget.grpcThrottle(10, 0.1),
        RetryBudget.grpcThrottle(7, 0.5),
        RetryBudget.awsQuota(),
        RetryBudget.concurrent(0.2, 3),
        RetryBudget.perOrigin(0.1).acrossOrigins(),
        RetryBudget.perOrigin(0.1).and(RetryBudget.concurrent(0.2, 3)));
  }

  private static int takeAll(RetryBudget.Account account, long nowNanos) {
    int taken = 0;
    while (true) {
      account.attemptFailed(FailureKind.OTHER, null, nowNanos); // gRPC's throttle pays here
      if (!account.tryWithdraw(FailureKind.OTHER, nowNanos).granted()) {
        return taken;
      }
      taken++;
    }
  }

  private static int available(RetryBudget budget, long nowNanos) {
    OptionalDouble available = budget.available(ORIGIN, nowNanos);
    assertTrue(available.getAsDouble() >= 0, available::toString);
    assertEquals(available, budget.account(ORIGIN).available(nowNanos));
    return (int) available.getAsDouble();
  }

  @ParameterizedTest
  @MethodSource("bounded")
  void aBudgetPaysForAsManyRetriesAsItSays(RetryBudget budget) {
    RetryBudget.Account account = budget.account(ORIGIN);
    account.operationBegan(0);
    int first = available(budget, 0);
    assertEquals(first, available(budget, 0)); // asking changes nothing
    assertEquals(first, takeAll(account, 0));
    assertEquals(0, available(budget, 0));

    // Time and successes add retries.
    for (int i = 0; i < 30; i++) {
      account.operationBegan(2 * SECOND);
      account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, 2 * SECOND);
    }
    int later = available(budget, 5 * SECOND / 2);
    assertEquals(later, takeAll(account, 5 * SECOND / 2));
  }

  @Test
  void theAnswerHasFractions() {
    RetryBudget budget = RetryBudget.successFunded(0.25, 10, 0.5);
    RetryBudget.Account account = budget.account(ORIGIN);
    assertEquals(10, takeAll(account, 0));
    account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, 0);
    assertEquals(OptionalDouble.of(0.25), budget.available(ORIGIN, 0));
    assertEquals(OptionalDouble.of(0.75), budget.available(ORIGIN, SECOND));
    assertEquals(OptionalDouble.of(10), budget.available(ORIGIN, 1_000 * SECOND));
  }

  @Test
  void askingOpensNoAccount() {
    OriginBudget budget = (OriginBudget) RetryBudget.perOrigin(0.1);
    assertEquals(OptionalDouble.empty(), budget.available(ORIGIN, 0));
    assertEquals(0, budget.size());
  }

  @Test
  void aBudgetWithoutABound_andOneThatDoesNotKnow() {
    RetryBudget unlimited = RetryBudget.unlimited();
    OptionalDouble endless = OptionalDouble.of(Double.POSITIVE_INFINITY);
    assertEquals(endless, unlimited.available(ORIGIN, 0));
    assertEquals(endless, unlimited.account(ORIGIN).available(0));

    RetryBudget.Account account = unlimited.account(ORIGIN);
    RetryBudget silent = origin -> account;
    assertEquals(OptionalDouble.empty(), silent.available(ORIGIN, 0));
    RetryBudget known = RetryBudget.perOrigin(0.1);
    known.account(ORIGIN);
    assertEquals(OptionalDouble.of(10), known.and(unlimited).available(ORIGIN, 0));
    assertEquals(OptionalDouble.empty(), known.and(silent).available(ORIGIN, 0));
  }
}
