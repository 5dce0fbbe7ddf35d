package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Calls that a guard or an overloaded server holds back wait, and do not fail. */
class HeldBackTest {
  private final LeapingTime time = new LeapingTime();

  private StopReason endOf(HttpRetry.Builder retry, Object... script) {
    HttpRetry built = retry.environment(time.environment()).build();
    return Wire.run(built.operation(TestRequest.of("GET"), RetryOptions.none()), script)
        .report()
        .reason();
  }

  /** Refuses the first attempt; when it is asked how long, it would admit one at once. */
  private static final class Refuses implements Guard {
    private final RuntimeException refusal;
    private boolean refused;

    Refuses(RuntimeException refusal) {
      this.refusal = refusal;
    }

    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return 0;
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      if (!refused) {
        refused = true;
        throw refusal;
      }
      return Permit.none();
    }
  }

  /** As when another call has ended between the refusal and the question. */
  @Test
  void aGuardThatSaidForHowLong_isTriedAgain() {
    Guard guard = new Refuses(new ServerDelayPendingException(Duration.ofSeconds(1)));
    assertEquals(
        StopReason.ACCEPTED, endOf(HttpRetry.builder().guard(guard), TestResponse.of(200)));
  }

  @Test
  void aGuardThatDidNotSay_endsTheCall() {
    Guard guard = new Refuses(new IllegalStateException("full"));
    assertEquals(
        StopReason.GUARD_REFUSED, endOf(HttpRetry.builder().guard(guard), TestResponse.of(200)));
  }

  private static HttpRetry.Builder withoutTokens() {
    return HttpRetry.forAiApis(Duration.ofMinutes(5))
        .budget(new ThrottlingFreeBudget(origin -> new NoTokens()));
  }

  /** Else 30 calls that meet an overload at once would use up the budget, and fail. */
  @Test
  void anOverloadedServerCostsNoTokens() {
    assertEquals(
        StopReason.ACCEPTED,
        endOf(withoutTokens(), TestResponse.of(529), TestResponse.of(529), TestResponse.of(200)));
    assertEquals(StopReason.BUDGET_EXHAUSTED, endOf(withoutTokens(), TestResponse.of(500)));
  }

  private static final class NoTokens implements RetryBudget.Account {
    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      return Withdrawal.refused();
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {}

    @Override
    public void operationEnded(
        RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {}
  }
}
