package dev.steadfast.retry.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DurationsTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "1, 1ns",
    "999, 999ns",
    "1000, 1us",
    "6548247, 6.55ms",
    "999499, 999us",
    "999500, 1ms",
    "1425000000, 1.43s",
    "59960000000, 60s",
    "90000000000, 90s",
    "9223372036854775807, 9220000000s"
  })
  void measuredTimesArePrintedWithThreeDigits(long nanos, String expected) {
    assertEquals(expected, Durations.printRounded(nanos));
  }

  @ParameterizedTest
  @CsvSource({
    "4000, 0.5, 2000",
    "4000, 0, 0",
    "10000000000, 1, 10000000000",
    "10000000001, 1, 10000000000",
    "9223372036854775807, 1, 10000000000"
  })
  void theSpreadIsAShare_andAtMostTenSeconds(long serverDelayNanos, double share, long spread) {
    assertEquals(spread, Durations.spread(serverDelayNanos, share));
  }
}
