package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.engine.RetryPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The policy as a value: defaults, ranges, equality, and setters in any order. */
class RetryPolicyTest {
  private static final Duration MINUS = Duration.ofNanos(-1);
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
  private static final Duration AGES = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

  private static RetryPolicy.Builder builder() {
    return RetryPolicy.builder();
  }

  @Test
  void defaults_boundTheOperation() {
    RetryPolicy policy = RetryPolicy.defaults();
    assertEquals(3, policy.maxAttempts());
    assertEquals(Backoff.valueOf("full(100ms..20s)"), policy.backoff());
    assertEquals(Optional.of(Duration.ofSeconds(30)), policy.totalTimeout());
    assertEquals(Optional.empty(), policy.attemptTimeout(1));
    assertEquals(Optional.empty(), policy.bodyIdleTimeout());
    assertEquals(Duration.ofMillis(1), policy.minimumAttempt());
    assertEquals(Duration.ofSeconds(60), policy.maxServerDelay());
    assertEquals(RetryPolicy.AboveCeiling.GIVE_UP, policy.aboveCeiling());
    assertEquals(1.0, policy.serverDelaySpread());
    assertEquals(policy, builder().build());
    assertSame(policy, RetryPolicy.defaults());
  }

  @Test
  void noRetry_isTheDefaultWithOneAttempt() {
    assertEquals(builder().maxAttempts(1).build(), RetryPolicy.noRetry());
  }

  @Test
  void keepsWhatItIsTold() {
    RetryPolicy policy = unlike().build();
    assertEquals(7, policy.maxAttempts());
    assertEquals(Backoff.fixed(Duration.ofMillis(3)), policy.backoff());
    assertEquals(Backoff.none(), policy.backoff(FailureKind.TIMEOUT));
    assertEquals(Optional.of(Duration.ofMinutes(2)), policy.totalTimeout());
    assertEquals(Optional.of(Duration.ofSeconds(1)), policy.attemptTimeout(1));
    assertEquals(Optional.of(Duration.ofSeconds(4)), policy.bodyIdleTimeout());
    assertEquals(Duration.ofMillis(40), policy.minimumAttempt());
    assertEquals(Duration.ofSeconds(9), policy.maxServerDelay());
    assertEquals(RetryPolicy.AboveCeiling.CLAMP, policy.aboveCeiling());
    assertEquals(0.25, policy.serverDelaySpread());
  }

  // No value is that of the defaults.
  private static RetryPolicy.Builder unlike() {
    return builder()
        .maxAttempts(7)
        .backoff(Backoff.fixed(Duration.ofMillis(3)))
        .backoff(FailureKind.TIMEOUT, Backoff.none())
        .totalTimeout(Duration.ofMinutes(2))
        .attemptTimeout(Duration.ofSeconds(1))
        .bodyIdleTimeout(Duration.ofSeconds(4))
        .minimumAttempt(Duration.ofMillis(40))
        .maxServerDelay(Duration.ofSeconds(9))
        .aboveCeiling(RetryPolicy.AboveCeiling.CLAMP)
        .serverDelaySpread(0.25);
  }

  @Test
  void aBackoffOfOneKind_leavesTheOthersAsTheyAre() {
    Backoff slow = Backoff.fixed(Duration.ofSeconds(5));
    RetryPolicy policy =
        builder()
            .backoff(FailureKind.THROTTLED, Backoff.none())
            .backoff(FailureKind.THROTTLED, slow)
            .backoff(Backoff.none())
            .build();
    for (FailureKind kind : FailureKind.values()) {
      assertEquals(kind == FailureKind.THROTTLED ? slow : Backoff.none(), policy.backoff(kind));
    }
    assertEquals(RetryPolicy.defaults().backoff(), RetryPolicy.defaults().backoff(FailureKind.TLS));
  }

  @Test
  void aPolicyDoesNotChangeWithItsBuilder() {
    RetryPolicy.Builder builder = unlike();
    RetryPolicy policy = builder.build();
    builder.backoff(FailureKind.TLS, Backoff.none());
    policy.toBuilder().backoff(FailureKind.DNS, Backoff.none());
    assertEquals(unlike().build(), policy);
  }

  @Test
  void attemptTimeouts_goByNumber_andTheLastHoldsForAllThatFollow() {
    RetryPolicy policy =
        builder().attemptTimeouts(List.of(Duration.ofSeconds(1), Duration.ofSeconds(5))).build();
    assertEquals(Optional.of(Duration.ofSeconds(1)), policy.attemptTimeout(1));
    assertEquals(Optional.of(Duration.ofSeconds(5)), policy.attemptTimeout(2));
    assertEquals(Optional.of(Duration.ofSeconds(5)), policy.attemptTimeout(3));
    assertEquals(Optional.of(Duration.ofSeconds(5)), policy.attemptTimeout(Integer.MAX_VALUE));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void attemptsAreCountedFromOne(int attempt) {
    for (String text : List.of("attemptTimeout=none", "attemptTimeout=1s,2s")) {
      Exception thrown =
          assertThrows(
              IllegalArgumentException.class,
              () -> RetryPolicy.valueOf(text).attemptTimeout(attempt));
      assertEquals("attempt: " + attempt + " (expected: >= 1)", thrown.getMessage());
    }
  }

  @Test
  void attemptTimeouts_areCopied() {
    List<Duration> timeouts = new ArrayList<>(List.of(Duration.ofSeconds(1)));
    RetryPolicy.Builder builder = builder().attemptTimeouts(timeouts);
    timeouts.set(0, Duration.ofSeconds(9));
    RetryPolicy policy = builder.build();
    assertEquals(Optional.of(Duration.ofSeconds(1)), policy.attemptTimeout(1));
    builder.attemptTimeout(Duration.ofSeconds(8));
    assertEquals(Optional.of(Duration.ofSeconds(1)), policy.attemptTimeout(1));
  }

  @Test
  void theLimitsOfTheRanges_areAllowed() {
    RetryPolicy widest =
        builder()
            .maxAttempts(Integer.MAX_VALUE)
            .totalTimeout(AGES)
            .attemptTimeout(AGES)
            .bodyIdleTimeout(AGES)
            .minimumAttempt(AGES)
            .maxServerDelay(AGES)
            .serverDelaySpread(10)
            .build();
    assertEquals(Integer.MAX_VALUE, widest.maxAttempts());
    assertEquals(Optional.of(LONGEST), widest.totalTimeout());
    assertEquals(Optional.empty(), widest.attemptTimeout(1)); // 292 years bound nothing
    assertEquals(Optional.empty(), widest.bodyIdleTimeout());
    assertEquals(LONGEST, widest.minimumAttempt());
    assertEquals(LONGEST, widest.maxServerDelay());
    assertEquals(10, widest.serverDelaySpread());

    Duration least = Duration.ofNanos(1);
    RetryPolicy tightest =
        builder()
            .maxAttempts(1)
            .totalTimeout(least)
            .attemptTimeout(least)
            .bodyIdleTimeout(least)
            .minimumAttempt(least)
            .maxServerDelay(Duration.ZERO)
            .serverDelaySpread(-0.0)
            .build();
    assertEquals(Optional.of(least), tightest.totalTimeout());
    assertEquals(Optional.of(least), tightest.attemptTimeout(1));
    assertEquals(Optional.of(least), tightest.bodyIdleTimeout());
    assertEquals(Duration.ZERO, tightest.maxServerDelay());
    assertEquals("0.0", Double.toString(tightest.serverDelaySpread()));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void rejectsFewerAttemptsThanOne(int attempts) {
    assertRejected(
        "maxAttempts: " + attempts + " (expected: >= 1)", () -> builder().maxAttempts(attempts));
  }

  @ParameterizedTest
  @ValueSource(
      doubles = {-0.001, -1, 10.001, Double.NaN, Double.POSITIVE_INFINITY, -Double.MIN_VALUE})
  void rejectsASpreadOutOfRange(double spread) {
    assertRejected(
        "serverDelaySpread: " + spread + " (expected: 0.0 to 10.0)",
        () -> builder().serverDelaySpread(spread));
  }

  @Test
  void rejectsDurationsThatAreNotPositive() {
    for (Duration bad : List.of(Duration.ZERO, MINUS, Duration.ofSeconds(Long.MIN_VALUE))) {
      String rule = ": " + bad + " (expected: more than zero)";
      assertRejected("totalTimeout" + rule, () -> builder().totalTimeout(bad));
      assertRejected("attemptTimeout" + rule, () -> builder().attemptTimeout(bad));
      assertRejected(
          "attemptTimeout" + rule,
          () -> builder().attemptTimeouts(List.of(Duration.ofSeconds(1), bad)));
      assertRejected("bodyIdleTimeout" + rule, () -> builder().bodyIdleTimeout(bad));
      assertRejected("minimumAttempt" + rule, () -> builder().minimumAttempt(bad));
    }
    assertRejected(
        "maxServerDelay: PT-0.000000001S (expected: zero or more)",
        () -> builder().maxServerDelay(MINUS));
    assertRejected(
        "attemptTimeouts: [] (expected: one entry or more)",
        () -> builder().attemptTimeouts(List.of()));
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a caller without null checks may do
  void rejectsNull_byName() {
    assertNull("backoff", () -> builder().backoff(null));
    assertNull("backoff", () -> builder().backoff(FailureKind.TLS, null));
    assertNull("kind", () -> builder().backoff(null, Backoff.none()));
    assertNull("kind", () -> RetryPolicy.defaults().backoff(null));
    assertNull("totalTimeout", () -> builder().totalTimeout(null));
    assertNull("attemptTimeout", () -> builder().attemptTimeout(null));
    assertNull("attemptTimeouts", () -> builder().attemptTimeouts(null));
    List<Duration> withNull = Arrays.asList(Duration.ofSeconds(1), null);
    assertNull("attemptTimeout", () -> builder().attemptTimeouts(withNull));
    assertNull("bodyIdleTimeout", () -> builder().bodyIdleTimeout(null));
    assertNull("minimumAttempt", () -> builder().minimumAttempt(null));
    assertNull("maxServerDelay", () -> builder().maxServerDelay(null));
    assertNull("aboveCeiling", () -> builder().aboveCeiling(null));
    assertNull("text", () -> RetryPolicy.valueOf(null));
  }

  private static void assertNull(String name, Runnable call) {
    Exception thrown = assertThrows(NullPointerException.class, call::run);
    assertEquals(name + ": null (expected: a value)", thrown.getMessage());
  }

  private static void assertRejected(String message, Runnable call) {
    Exception thrown = assertThrows(IllegalArgumentException.class, call::run);
    assertEquals(message, thrown.getMessage());
  }

  @Test
  void aRejectedValue_leavesTheBuilderAsItWas() {
    RetryPolicy.Builder builder = unlike();
    assertThrows(IllegalArgumentException.class, () -> builder.maxAttempts(0));
    assertThrows(IllegalArgumentException.class, () -> builder.attemptTimeouts(List.of(MINUS)));
    assertEquals(unlike().build(), builder.build());
  }

  @Test
  void theMinimalAttempt_mustFitIntoTheTotal_whicheverIsSetFirst() {
    String message = "minimumAttempt: 31s (expected: at most totalTimeout, 30s)";
    assertRejected(message, () -> builder().minimumAttempt(Duration.ofSeconds(31)).build());
    assertRejected(
        "minimumAttempt: 1ms (expected: at most totalTimeout, 999us)",
        () -> builder().totalTimeout(Duration.ofNanos(999_000)).build());
    Duration hour = Duration.ofHours(1);
    assertEquals(
        builder().minimumAttempt(hour).totalTimeout(hour).build(),
        builder().totalTimeout(hour).minimumAttempt(hour).build());
    assertEquals(
        Optional.empty(), builder().minimumAttempt(hour).noTotalTimeout().build().totalTimeout());
  }

  @Test
  void settersMayComeInAnyOrder() {
    List<UnaryOperator<RetryPolicy.Builder>> setters =
        new ArrayList<>(
            List.of(
                each -> each.maxAttempts(7),
                each -> each.backoff(Backoff.fixed(Duration.ofMillis(3))),
                each -> each.backoff(FailureKind.TIMEOUT, Backoff.none()),
                each -> each.totalTimeout(Duration.ofMinutes(2)),
                each -> each.attemptTimeout(Duration.ofSeconds(1)),
                each -> each.bodyIdleTimeout(Duration.ofSeconds(4)),
                each -> each.minimumAttempt(Duration.ofMillis(40)),
                each -> each.maxServerDelay(Duration.ofSeconds(9)),
                each -> each.aboveCeiling(RetryPolicy.AboveCeiling.CLAMP),
                each -> each.serverDelaySpread(0.25)));
    for (int turn = 0; turn < setters.size(); turn++) {
      Collections.rotate(setters, 1);
      assertEquals(unlike().build(), applied(setters));
      List<UnaryOperator<RetryPolicy.Builder>> reversed = new ArrayList<>(setters);
      Collections.reverse(reversed);
      assertEquals(unlike().build(), applied(reversed));
    }
  }

  private static RetryPolicy applied(List<UnaryOperator<RetryPolicy.Builder>> setters) {
    RetryPolicy.Builder builder = builder();
    for (UnaryOperator<RetryPolicy.Builder> each : setters) {
      builder = each.apply(builder);
    }
    return builder.build();
  }

  @Test
  void theLastSetterWins() {
    assertEquals(
        RetryPolicy.defaults(),
        builder().noTotalTimeout().totalTimeout(Duration.ofSeconds(30)).build());
    assertEquals(
        Optional.empty(),
        builder().totalTimeout(Duration.ofSeconds(1)).noTotalTimeout().build().totalTimeout());
    assertEquals(
        List.of(),
        builder()
            .attemptTimeout(Duration.ofSeconds(1))
            .noAttemptTimeout()
            .build()
            .attemptTimeouts());
    assertEquals(
        Optional.of(Duration.ofSeconds(30)),
        builder()
            .noBodyIdleTimeout()
            .bodyIdleTimeout(Duration.ofSeconds(30))
            .build()
            .bodyIdleTimeout());
    assertEquals(
        Optional.empty(),
        builder()
            .bodyIdleTimeout(Duration.ofSeconds(1))
            .noBodyIdleTimeout()
            .build()
            .bodyIdleTimeout());
  }

  @Test
  void adaptersReadTheBodyIdleTimeout_inNanoseconds() {
    assertEquals(Long.MAX_VALUE, bodyIdleNanos(RetryPolicy.defaults()));
    assertEquals(7, bodyIdleNanos(builder().bodyIdleTimeout(Duration.ofNanos(7)).build()));
    assertEquals(Long.MAX_VALUE, bodyIdleNanos(builder().noBodyIdleTimeout().build()));
    assertEquals(Long.MAX_VALUE, bodyIdleNanos(builder().bodyIdleTimeout(AGES).build()));
  }

  private static long bodyIdleNanos(RetryPolicy policy) {
    return RetryPlan.of(policy, RetryBudget.unlimited(), RetryEnvironment.system())
        .bodyIdleTimeoutNanos();
  }

  @Test
  void toBuilder_startsWithThePolicy_andDoesNotTouchIt() {
    RetryPolicy policy = unlike().build();
    assertEquals(policy, policy.toBuilder().build());
    assertNotSame(policy, policy.toBuilder().build());
    RetryPolicy changed = policy.toBuilder().maxAttempts(1).noTotalTimeout().build();
    assertEquals(1, changed.maxAttempts());
    assertEquals(unlike().build(), policy);
    assertEquals(changed, changed.toBuilder().build());
  }

  @Test
  void isEqual_onlyIfEverySettingIs() {
    List<RetryPolicy> different =
        List.of(
            RetryPolicy.defaults(),
            builder().maxAttempts(4).build(),
            builder().backoff(Backoff.none()).build(),
            builder().totalTimeout(Duration.ofSeconds(31)).build(),
            builder().noTotalTimeout().build(),
            builder().attemptTimeout(Duration.ofSeconds(1)).build(),
            builder()
                .attemptTimeouts(List.of(Duration.ofSeconds(1), Duration.ofSeconds(2)))
                .build(),
            builder().bodyIdleTimeout(Duration.ofSeconds(30)).build(),
            builder().bodyIdleTimeout(Duration.ofSeconds(31)).build(),
            builder().minimumAttempt(Duration.ofMillis(2)).build(),
            builder().maxServerDelay(Duration.ofSeconds(61)).build(),
            builder().aboveCeiling(RetryPolicy.AboveCeiling.CLAMP).build(),
            builder().serverDelaySpread(0.5).build(),
            builder().backoff(FailureKind.TIMEOUT, Backoff.none()).build(),
            builder().backoff(FailureKind.TLS, Backoff.none()).build());
    for (RetryPolicy each : different) {
      assertEquals(1, different.stream().filter(each::equals).count(), each.toString());
      RetryPolicy same = each.toBuilder().build();
      assertEquals(each, same);
      assertEquals(each.hashCode(), same.hashCode());
      assertNotEquals(each, each.toString());
    }
    Set<Integer> hashes = new HashSet<>();
    different.subList(0, 4).forEach(each -> hashes.add(each.hashCode()));
    assertEquals(4, hashes.size());
  }
}
