package dev.steadfast.retry.examples.outage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class TallyTest {
  private static final int SECONDS = 30;
  private static final int OUTAGE_ENDS = 10;

  private final Tally tally = new Tally(SECONDS);

  private void operations(int from, int until, int began, int failed) {
    for (int second = from; second < until; second++) {
      for (int i = 0; i < began; i++) {
        long at = second * Scenario.SECOND + i;
        tally.began(at);
        if (i >= failed) {
          tally.succeeded(at);
        }
      }
    }
  }

  @Test
  void recoveryIsCountedFromTheEndOfTheOutage() {
    operations(0, 17, 70, 70);
    operations(17, SECONDS, 70, 0);
    assertEquals(OptionalInt.of(7), tally.recovery(OUTAGE_ENDS));
  }

  @Test
  void whatNeverFailedRecoversAtOnce() {
    operations(0, SECONDS, 70, 0);
    assertEquals(OptionalInt.of(0), tally.recovery(OUTAGE_ENDS));
  }

  @Test
  void fourGoodSecondsAreNoRecovery() {
    operations(0, 12, 70, 70);
    operations(12, 16, 70, 0);
    operations(16, 17, 70, 1); // 98.6 %
    operations(17, SECONDS, 70, 0);
    assertEquals(OptionalInt.of(7), tally.recovery(OUTAGE_ENDS));
  }

  @Test
  void oneFailureInAHundredIsAllowed() {
    operations(0, SECONDS, 100, 1);
    assertEquals(OptionalInt.of(0), tally.recovery(OUTAGE_ENDS));
  }

  @Test
  void theLastFiveSecondsCanBeTheRecovery() {
    operations(0, 25, 70, 70);
    operations(25, SECONDS, 70, 0);
    assertEquals(OptionalInt.of(15), tally.recovery(OUTAGE_ENDS));
  }

  @Test
  void fourGoodSecondsAtTheEndAreNever() {
    operations(0, 26, 70, 70);
    operations(26, SECONDS, 70, 0);
    assertEquals(OptionalInt.empty(), tally.recovery(OUTAGE_ENDS));
    assertEquals("never", OutageReport.text(tally.recovery(OUTAGE_ENDS), " s"));
  }

  @Test
  void attemptsAreFirstTriesAndRetries() {
    tally.attempted(Scenario.SECOND, false);
    tally.attempted(Scenario.SECOND + 1, true);
    tally.attempted(2 * Scenario.SECOND, false);
    assertEquals(2, tally.attemptsIn(1));
    assertEquals(1, tally.firstTriesIn(1));
    assertEquals(2, tally.peak());
    assertEquals(0.1, tally.finalRate(SECONDS), 1e-9, "3 attempts in 30 s");
  }

  @Test
  void goodputIsTheShareOfTheOperationsThatBeganInATime() {
    operations(0, 10, 70, 70);
    operations(10, 20, 70, 0);
    operations(20, 30, 70, 70);
    assertEquals(0.5, tally.goodput(5, 15));
    assertEquals(1, tally.goodput(10, 20));
  }

  @Test
  void whatComesAfterTheEndDoesNotCount() {
    tally.refused();
    tally.end();
    tally.began(0);
    tally.refused();
    assertEquals(0, tally.operations());
    assertEquals(1, tally.refusals());
  }

  @Test
  void whatIsOutsideOfTheRunDoesNotCount() {
    tally.began(-1);
    tally.began(SECONDS * Scenario.SECOND);
    assertEquals(0, tally.operations());
  }
}
