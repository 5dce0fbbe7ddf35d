package dev.steadfast.retry.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NumbersTest {
  @ParameterizedTest
  @CsvSource({
    "0, 2, 0.00",
    "1.005, 1, 1.0",
    "12.345, 2, 12.35",
    "-0.001, 2, 0.00",
    "-1.5, 0, -2",
    "0.07, 2, 0.07",
    "NaN, 2, -"
  })
  void numbersAreFixed(double value, int decimals, String text) {
    assertEquals(text, Numbers.fixed(value, decimals));
  }

  @ParameterizedTest
  @CsvSource({"1.500, 3, 1.5", "2, 3, 2", "100, 0, 100", "0.7, 4, 0.7"})
  void zerosAtTheEndGo(double value, int decimals, String text) {
    assertEquals(text, Numbers.plain(value, decimals));
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1s, 1e9", "250ms, 250e6", "1.5s, 1.5e9", "2m, 120e9", "5, -1", "s, -1"})
  void durationsAreRead(String text, double nanos) {
    assertEquals(nanos, Durations.nanos(text));
  }

  @Test
  void drawsHaveTheirMeans() {
    Draws draws = Draws.of(1);
    double gaussian = 0;
    double square = 0;
    double exponential = 0;
    int number = 200_000;
    for (int i = 0; i < number; i++) {
      double normal = draws.gaussian();
      gaussian += normal;
      square += normal * normal;
      exponential += draws.exponential(3);
    }
    assertEquals(0, gaussian / number, 0.01);
    assertEquals(1, square / number, 0.02);
    assertEquals(3, exponential / number, 0.05);
  }

  @Test
  void moreRunsBeginWithTheSameOnes() {
    assertEquals(Draws.each(9, 2)[1].uniform(), Draws.each(9, 5)[1].uniform());
    assertTrue(Draws.each(9, 2)[0].uniform() != Draws.each(9, 2)[1].uniform());
  }

  @Test
  void workIsDoneAtTheSpeedOfItsTime() {
    Speed stall = new Speed(100, 200, 0);
    assertEquals(50, stall.doneAt(0, 50));
    assertEquals(250, stall.doneAt(0, 150));
    assertEquals(230, stall.doneAt(150, 30));
    assertEquals(330, stall.doneAt(300, 30));
    Speed slow = new Speed(100, 200, 0.5);
    assertEquals(140, slow.doneAt(100, 20));
    assertEquals(210, slow.doneAt(100, 60));
  }
}
