package dev.steadfast.retry.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.internal.OriginTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A limit for each key, its settings, and what it shows. */
class AdaptiveLimitTest {
  private static final Guard.Failure TIMEOUT =
      new Guard.Failure(FailureKind.TIMEOUT, true, 1_000, 0);

  private static OperationInfo to(String origin) {
    return OperationInfo.of(origin, "GET " + origin);
  }

  @Test
  void eachOriginHasALimitOfItsOwn() {
    AdaptiveLimit limit = AdaptiveLimit.perOrigin();
    Guard.Permit lost = limit.acquire(to("a"), 0);
    limit.acquire(to("b"), 0);
    lost.failed(TIMEOUT, new IOException());
    assertEquals(new AdaptiveLimit.State(10, 0, 0), limit.state("a"));
    assertEquals(new AdaptiveLimit.State(20, 1, 0), limit.state("b"));
    assertEquals(new AdaptiveLimit.State(20, 0, 0), limit.state("c"));
    assertEquals("adaptive limit (1 to 200)", limit.toString());
  }

  @Test
  void anAttemptBeyondTheLimitIsRefused_withoutAStack() {
    AdaptiveLimit limit = AdaptiveLimit.builder().maximum(1).build();
    Guard.Permit held = limit.acquire(to("a"), 0);
    RuntimeException refused =
        assertThrows(AdaptiveLimit.Refused.class, () -> limit.acquire(to("a"), 0));
    assertEquals("limit of a reached: 1 of 1 attempts under way", refused.getMessage());
    assertEquals(0, refused.getStackTrace().length);
    assertEquals(0, limit.admitsInNanos(to("a"), 0), "after a wait there may be room");
    assertEquals(new AdaptiveLimit.State(1, 1, 1), limit.state("a"));
    held.released();
    limit.acquire(to("a"), 0);
  }

  @Test
  void aKeyOfTheUsers_separatesCallsOfDifferentSpeed() {
    AdaptiveLimit limit =
        AdaptiveLimit.builder().maximum(1).keyedBy(info -> info.name().orElse("any")).build();
    limit.acquire(to("a").withName("slow"), 0);
    limit.acquire(to("a").withName("fast"), 0);
    assertEquals(1, limit.state("slow").inFlight());
    assertEquals(1, limit.state("fast").inFlight());
    assertEquals(0, limit.state("a").inFlight());
  }

  @Test
  void withoutAKeyThereIsNoLimit() {
    AdaptiveLimit limit = AdaptiveLimit.builder().maximum(1).keyedBy(info -> null).build();
    List<Guard.Permit> held = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      held.add(limit.acquire(to("a"), 0));
    }
    held.get(0).succeeded(1);
    held.get(1).failed(TIMEOUT, new IOException());
    held.get(2).released();
    assertEquals(0, limit.state("a").inFlight());
  }

  @Test
  void aKeyThatCannotBeHad_isNotTakenForARefusal() {
    AdaptiveLimit limit =
        AdaptiveLimit.builder()
            .keyedBy(info -> {
              throw new IllegalStateException("no key");
            })
            .build();
    assertThrows(IllegalStateException.class, () -> limit.acquire(to("a"), 0));
    assertThrows(IllegalStateException.class, () -> limit.admitsInNanos(to("a"), 0));
  }

  @Test
  void theLossesAreTheUsersToName() {
    AdaptiveLimit limit = AdaptiveLimit.builder().losses(FailureKind.UNAVAILABLE).build();
    limit.acquire(to("a"), 0).failed(TIMEOUT, new IOException());
    assertEquals(20, limit.state("a").limit());
    limit
        .acquire(to("a"), 0)
        .failed(new Guard.Failure(FailureKind.UNAVAILABLE, true, 1, 0), new IOException());
    assertEquals(10, limit.state("a").limit());
  }

  @Test
  void limitsWithoutAttemptsUnderWayMakeRoomForOthers() {
    AdaptiveLimit limit = AdaptiveLimit.builder().maximum(1).build();
    limit.acquire(to("held"), 0);
    for (int i = 0; i < 3 * OriginTable.MOST; i++) {
      limit.acquire(to("made-up-" + i), 0).succeeded(1);
    }
    assertThrows(AdaptiveLimit.Refused.class, () -> limit.acquire(to("held"), 0));
  }

  @Test
  void whereAllAreInUse_furtherOnesShareALimit() {
    AdaptiveLimit limit = AdaptiveLimit.builder().maximum(1).build();
    for (int i = 0; i < OriginTable.MOST; i++) {
      limit.acquire(to("used-" + i), 0);
    }
    limit.acquire(to("one more"), 0);
    assertThrows(AdaptiveLimit.Refused.class, () -> limit.acquire(to("and another"), 0));
  }

  @ParameterizedTest
  @CsvSource({
    "0,  1,  1,       minimum: 0 (expected: 1 to 1000000)",
    "-1, 1,  1,       minimum: -1 (expected: 1 to 1000000)",
    "5,  5,  4,       maximum: 4 (expected: 5 to 1000000)",
    "1,  1,  1000001, maximum: 1000001 (expected: 1 to 1000000)",
    "5,  4,  10,      initial: 4 (expected: 5 to 10)",
    "5,  11, 10,      initial: 11 (expected: 5 to 10)"
  })
  void badSettingsAreRefusedByBuild(int minimum, int initial, int maximum, String message) {
    AdaptiveLimit.Builder builder =
        AdaptiveLimit.builder().initial(initial).maximum(maximum).minimum(minimum);
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, builder::build);
    assertEquals(message, refused.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"1, 200, 20", "30, 200, 30", "1, 5, 5"})
  void theStartIsWithinTheBoundsByItself(int minimum, int maximum, int start) {
    AdaptiveLimit limit = AdaptiveLimit.builder().minimum(minimum).maximum(maximum).build();
    assertEquals(start, limit.state("a").limit());
  }

  @Test
  void lossesNeedAKind_andThrottlingIsNone() {
    AdaptiveLimit.Builder builder = AdaptiveLimit.builder();
    assertThrows(IllegalArgumentException.class, builder::losses);
    IllegalArgumentException throttled =
        assertThrows(
            IllegalArgumentException.class,
            () -> builder.losses(FailureKind.TIMEOUT, FailureKind.THROTTLED));
    assertTrue(throttled.getMessage().startsWith("losses: [TIMEOUT, THROTTLED]"));
    assertThrows(NullPointerException.class, () -> builder.losses((FailureKind) null));
    assertThrows(NullPointerException.class, () -> builder.keyedBy(null));
    assertThrows(NullPointerException.class, () -> builder.random(null));
    assertThrows(NullPointerException.class, () -> AdaptiveLimit.perOrigin().state(null));
  }
}
