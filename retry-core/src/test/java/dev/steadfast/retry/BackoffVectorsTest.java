package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The published formulas of the three jitters. */
class BackoffVectorsTest {
  // A thousandth of the range, in which some draws must fall at either end of it.
  private static final int DRAWS = 20_000;

  static Stream<Vectors.Vector> full() {
    return Vectors.group("backoff_full_jitter");
  }

  static Stream<Vectors.Vector> equal() {
    return Vectors.group("backoff_equal_jitter");
  }

  static Stream<Vectors.Vector> decorrelated() {
    return Vectors.group("backoff_decorrelated");
  }

  @ParameterizedTest
  @MethodSource("full")
  void fullJitter(Vectors.Vector vector) {
    JsonObject in = vector.input();
    Backoff backoff = Backoff.fullJitter(millis(in, "baseMillis"), millis(in, "capMillis"));
    assertRange(vector, backoff, in.get("retry").getAsInt(), 0);
  }

  @ParameterizedTest
  @MethodSource("equal")
  void equalJitter(Vectors.Vector vector) {
    JsonObject in = vector.input();
    Backoff backoff = Backoff.equalJitter(millis(in, "baseMillis"), millis(in, "capMillis"));
    assertRange(vector, backoff, in.get("retry").getAsInt(), 0);
  }

  @ParameterizedTest
  @MethodSource("decorrelated")
  void decorrelatedJitter(Vectors.Vector vector) {
    JsonObject in = vector.input();
    Backoff backoff = Backoff.decorrelatedJitter(millis(in, "baseMillis"), millis(in, "capMillis"));
    // A previous delay beyond 292 years: the machine counts in saturated nanoseconds.
    long previous = Durations.nanos(millis(in, "previousMillis"));
    assertRange(vector, backoff, 2, previous);
  }

  private static Duration millis(JsonObject object, String name) {
    return Duration.ofMillis(object.get(name).getAsLong());
  }

  private static void assertRange(
      Vectors.Vector vector, Backoff backoff, int retry, long previousNanos) {
    long min = millis(vector.expected(), "minMillis").toNanos();
    long max = millis(vector.expected(), "maxMillis").toNanos();
    long lowest = Long.MAX_VALUE;
    long highest = Long.MIN_VALUE;
    LongSupplier random = Draws.seeded(retry);
    for (int i = 0; i < DRAWS; i++) {
      long delay = backoff.delayNanos(retry, previousNanos, random);
      lowest = Math.min(lowest, delay);
      highest = Math.max(highest, delay);
    }
    assertTrue(lowest >= min && highest <= max, lowest + " to " + highest);
    long slack = (max - min) / 1000;
    assertTrue(lowest - min <= slack && max - highest <= slack, lowest + " to " + highest);

    long atZero = backoff.delayNanos(retry, previousNanos, Draws.lowest());
    long atOnes = backoff.delayNanos(retry, previousNanos, Draws.highest());
    assertEquals(min, Math.min(atZero, atOnes));
    assertEquals(max, Math.max(atZero, atOnes));
  }
}
