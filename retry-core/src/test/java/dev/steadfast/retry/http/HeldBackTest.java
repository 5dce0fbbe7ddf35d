package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

  private static final String OVERLOADED = "{\"error\":{\"type\":\"overloaded_error\"}}";
  private static final StandardRules TYPES =
      StandardRules.forAiApis()
          .refusedBy(503, "overloaded_error")
          .refusedBy(200, "overloaded_error")
          .refusedBy(500, "overloaded_error")
          .build();

  private static TestResponse overload(int status) {
    TestResponse answer = TestResponse.of(status).from(TestRequest.of("GET").origin());
    return status == 200 ? answer.errorEvent(OVERLOADED) : answer.body(OVERLOADED);
  }

  /** An overload costs nothing, whatever the answer is that tells of it. */
  @Test
  void anOverloadToldByATypeOfErrorCostsNoTokens() {
    for (int status : new int[] {503, 200}) {
      HttpRetry.Builder retry = withoutTokens().classifier(TYPES);
      assertEquals(
          StopReason.ACCEPTED,
          endOf(retry, overload(status), overload(status), TestResponse.of(200)),
          "status " + status);
    }
    HttpRetry.Builder byStatus =
        withoutTokens().classifier(StandardRules.builder().refusedBy(503).build());
    assertEquals(StopReason.ACCEPTED, endOf(byStatus, TestResponse.of(503), TestResponse.of(200)));
    assertEquals(
        StopReason.BUDGET_EXHAUSTED,
        endOf(withoutTokens().classifier(TYPES), TestResponse.of(503)),
        "a 503 of a gateway");
    assertEquals(
        StopReason.BUDGET_EXHAUSTED,
        endOf(withoutTokens().classifier(TYPES), overload(500)),
        "refused, but no overload");
  }

  /** The gate is shut for a second after it, and then one call at a time may try. */
  @Test
  void anOverloadToldByATypeOfErrorHoldsBackTheCalls() {
    for (int status : new int[] {503, 200}) {
      LeapingTime since = new LeapingTime();
      HttpRetry retry =
          HttpRetry.forAiApis(Duration.ofMinutes(5))
              .classifier(TYPES)
              .environment(since.environment())
              .build();
      Wire.run(
          retry.operation(TestRequest.of("GET"), RetryOptions.none()),
          overload(status),
          overload(status),
          TestResponse.of(200));
      Duration waited = Duration.between(LeapingTime.START, since.instant());
      assertTrue(waited.toMillis() >= 3_000, status + " waited " + waited);
    }
  }

  /** Guards that measure the health of a server hear of it as of a 529. */
  @Test
  void aStreamThatBeginsWithAnOverloadIsAFailureOfTheServer() {
    Hears guard = new Hears();
    HttpRetry.Builder retry = HttpRetry.builder().classifier(TYPES).guard(guard);
    endOf(retry, overload(200), TestResponse.of(529), TestResponse.of(429), TestResponse.of(200));
    assertEquals(List.of("failed", "failed", "succeeded"), guard.heard);
  }

  @Test
  void aGuardOfTheUsersLearns_ifItWantsTo_beforeItsPermitIsAnswered() {
    Hears learning = new Hears(true);
    Hears other = new Hears();
    TestResponse answer =
        TestResponse.of(200)
            .from(TestRequest.of("GET").origin())
            .header("X-RateLimit-Limit", "60")
            .header("X-RateLimit-Remaining", "59")
            .header("X-RateLimit-Reset", "30");
    endOf(HttpRetry.builder().guard(learning).guard(other), answer);
    assertEquals(List.of("59 left", "succeeded"), learning.heard);
    assertEquals(List.of("succeeded"), other.heard);
  }

  /** Writes down how its permits are answered, and what it learns. */
  private static final class Hears implements Guard {
    private final List<String> heard = new ArrayList<>();
    private final boolean learns;

    Hears() {
      this(false);
    }

    Hears(boolean learns) {
      this.learns = learns;
    }

    @Override
    public boolean learnsQuotas() {
      return learns;
    }

    @Override
    public void learn(OperationInfo operation, List<Quota> quotas, long headNanos) {
      quotas.forEach(each -> heard.add(each.remaining() + " left"));
    }

    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return 0;
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      return new Permit() {
        @Override
        public void succeeded(long elapsedNanos) {
          heard.add("succeeded");
        }

        @Override
        public void failed(Failure how, Throwable failure) {
          heard.add("failed");
        }

        @Override
        public void released() {
          heard.add("released");
        }
      };
    }
  }
}
