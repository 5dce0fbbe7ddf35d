package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Vectors;
import dev.steadfast.retry.Vectors.Vector;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the time that is left is written, and how it is read from an untrusted caller. */
class TimeoutFormTest {
  private static final int DRAWS = 20_000;

  static Stream<Vector> parse() {
    return Vectors.group("grpc_timeout_parse");
  }

  static Stream<Vector> format() {
    return Vectors.group("grpc_timeout_format");
  }

  @ParameterizedTest
  @MethodSource("parse")
  void readsGrpc(Vector vector) {
    long nanos = TimeoutForm.GRPC.parse(vector.input().get("value").getAsString());
    long expected =
        vector.expected().has("invalid") ? -1 : vector.expected().get("nanos").getAsLong();
    assertEquals(expected, nanos);
  }

  @ParameterizedTest
  @MethodSource("format")
  void writesGrpc(Vector vector) {
    String expected = vector.expected().get("value").getAsString();
    assertEquals(expected, TimeoutForm.GRPC.format(vector.input().get("nanos").getAsLong()));
  }

  @ParameterizedTest
  @CsvSource({
    "0n, 0",
    "00000001n, 1",
    "99999999u, 99999999000",
    "99999999M, 5999999940000000000",
    "99999999H, 9223372036854775807", // 11,415 years: more than a long of nanoseconds holds
    "2562047H, 9223369200000000000",
    "2562048H, 9223372036854775807"
  })
  void readsGrpcAtItsLimits(String value, long nanos) {
    assertEquals(nanos, TimeoutForm.GRPC.parse(value));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "n", "5", "+5S", "-0n", "5S ", "5 S", "0x5S", "5SS", "5\u0000S", "\u0665S"})
  void readsNoJunkAsGrpc(String value) {
    assertEquals(-1, TimeoutForm.GRPC.parse(value));
    assertEquals(-1, TimeoutForm.GRPC.parse(value + "S".repeat(10_000)));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1000000",
    "0250, 250000000",
    "9223372036854, 9223372036854000000",
    "9223372036855, 9223372036854775807",
    "999999999999999999, 9223372036854775807"
  })
  void readsMillis(String value, long nanos) {
    assertEquals(nanos, TimeoutForm.MILLIS.parse(value));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " 5",
        "5 ",
        "-1",
        "+1",
        "1.5",
        "1e3",
        "5ms",
        "1_000",
        "\u0665",
        "9999999999999999999"
      })
  void readsNoJunkAsMillis(String value) {
    assertEquals(-1, TimeoutForm.MILLIS.parse(value));
  }

  @Test
  void writesMillisRoundedDown() {
    assertEquals("0", TimeoutForm.MILLIS.format(0));
    assertEquals("0", TimeoutForm.MILLIS.format(999_999));
    assertEquals("1", TimeoutForm.MILLIS.format(1_999_999));
    assertEquals("9223372036854", TimeoutForm.MILLIS.format(Long.MAX_VALUE));
  }

  /** Over the whole range: what is written is understood, never more, and hardly less. */
  @Test
  void whatIsWrittenNeverPromisesMoreTime() {
    amounts()
        .forEach(nanos -> {
          String grpc = TimeoutForm.GRPC.format(nanos);
          assertTrue(grpc.matches("[0-9]{1,8}[HMSmun]"), grpc);
          long read = TimeoutForm.GRPC.parse(grpc);
          assertTrue(read >= 0 && read <= nanos, () -> nanos + " became " + grpc);
          assertTrue(nanos - read <= nanos / 1_000, () -> nanos + " lost too much in " + grpc);
          long millis = TimeoutForm.MILLIS.parse(TimeoutForm.MILLIS.format(nanos));
          assertTrue(
              millis >= 0 && millis <= nanos && nanos - millis < 1_000_000, () -> "" + nanos);
        });
  }

  private static LongStream amounts() {
    SplittableRandom random = new SplittableRandom(7);
    LongStream ofAllSizes =
        LongStream.range(0, DRAWS).map(draw -> random.nextLong() >>> (1 + random.nextInt(62)));
    LongStream edges =
        LongStream.iterate(1, power -> power * 10)
            .limit(19)
            .flatMap(power -> LongStream.of(power - 1, power, power + 1));
    return LongStream.concat(LongStream.concat(ofAllSizes, edges), LongStream.of(Long.MAX_VALUE));
  }
}
