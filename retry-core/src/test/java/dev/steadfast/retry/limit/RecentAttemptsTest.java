package dev.steadfast.retry.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The share of attempts that is held back, by what was sent and what succeeded. */
class RecentAttemptsTest {
  private static final long SECOND = 1_000_000_000L;

  /** The first one was lost. */
  private static RecentAttempts of(int sent, int succeeded) {
    RecentAttempts recent = new RecentAttempts(0);
    for (int i = 1; i < sent; i++) {
      recent.sent(0);
    }
    for (int i = 0; i < succeeded; i++) {
      recent.succeeded();
    }
    return recent;
  }

  @ParameterizedTest
  @CsvSource({
    // sent so far; the next one is counted with them
    "1,   0,  0.6666667",
    "2,   0,  0.75",
    "8,   0,  0.9",
    "98,  0,  0.9", // never more
    "9,   5,  0", // as many as twice the successes
    "10,  5,  0.0833333",
    "18,  5,  0.45",
    "9,   9,  0"
  })
  void sendsTwiceWhatSucceeds(int sent, int succeeded, double share) {
    assertEquals(share, of(sent, succeeded).share(0), 1e-6);
  }

  @ParameterizedTest
  @CsvSource({"1, 0, true", "1, 1, false", "2, 1, false", "3, 1, true"})
  void isInExcessUntilHalfOfItSucceeds(int sent, int succeeded, boolean excess) {
    assertEquals(excess, of(sent, succeeded).isInExcess());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -7 * SECOND, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - SECOND})
  void whatIsTwoSecondsOldIsForgotten(long begin) {
    RecentAttempts recent = new RecentAttempts(begin);
    for (int i = 1; i < 8; i++) {
      recent.sent(begin);
    }
    recent.sent(begin + SECOND);
    assertEquals(0.9, recent.share(begin + 7 * SECOND / 4), "10 of 10");
    assertEquals(2 / 3.0, recent.share(begin + 9 * SECOND / 4), 1e-9, "the last one and the next");
    assertEquals(0.5, recent.share(begin + 10 * SECOND), "the next one");
  }

  @Test
  void whatSaysNothingWasNotSent() {
    RecentAttempts recent = of(3, 0);
    recent.forget();
    recent.forget();
    assertEquals(2 / 3.0, recent.share(0), 1e-9);
    recent.forget();
    recent.forget();
    assertEquals(0.5, recent.share(0), "and no less than nothing");
  }

  @Test
  void aThreadThatIsLateChangesNoMoreThanItsOwnSlot() {
    RecentAttempts recent = new RecentAttempts(10 * SECOND);
    recent.sent(10 * SECOND - 1);
    recent.sent(10 * SECOND);
    double share = recent.share(10 * SECOND);
    assertTrue(share >= 0.5 && share <= 0.8, recent::toString);
  }

  @Test
  void theShareIsWithinItsBounds_whateverHappens() {
    SplittableRandom random = new SplittableRandom(7);
    long now = random.nextLong();
    RecentAttempts recent = new RecentAttempts(now);
    for (int i = 0; i < 200_000; i++) {
      now += random.nextLong(SECOND / 10);
      switch (random.nextInt(4)) {
        case 0 -> recent.succeeded();
        case 1 -> recent.forget();
        default -> recent.sent(now);
      }
      double share = recent.share(now);
      assertTrue(share >= 0 && share <= 0.9, () -> "share " + share);
    }
  }
}
