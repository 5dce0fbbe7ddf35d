package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The text form of strategies: what is printed is read back, and errors point at a character. */
class BackoffTextTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "none",
        "fixed(1s)",
        "fixed(1ns)",
        "linear(100ms..5s)",
        "linear(1us..1d)",
        "exponential(100ms..20s)",
        "exponential(100ms..20s, x1)",
        "full(100ms..20s)",
        "full(100ms..20s, x1.5)",
        "full(90s..2m)",
        "full(61m..25h)",
        "equal(100ms..20s, x1000)",
        "equal(1500ms..9223372036854775807ns)",
        "decorrelated(100ms..20s)",
        "decorrelated(100ms..20s, x2)",
        "decorrelated(100ms..20s, x1.0000000000000002)",
        "decorrelated(100ms..20s, x999.9999999999999)"
      })
  void printsWhatItReads(String text) {
    assertEquals(text, Backoff.valueOf(text).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "fixed(0s)                        | none",
        "fixed(0ns)                       | none",
        "fixed(1000ms)                    | fixed(1s)",
        "fixed(60s)                       | fixed(1m)",
        "fixed(24h)                       | fixed(1d)",
        "fixed(0001s)                     | fixed(1s)",
        "full(100ms..20s,x3)              | full(100ms..20s, x3)",
        "full(100ms..20s,   x3)           | full(100ms..20s, x3)",
        "full(100ms..20s, x2)             | full(100ms..20s)",
        "full(100ms..20s, x2.50)          | full(100ms..20s, x2.5)",
        "full(100ms..20s, x1E2)           | full(100ms..20s, x100)",
        "decorrelated(1000us..20s, x3.0)  | decorrelated(1ms..20s)"
      })
  void readsOtherWaysToWriteTheSame(String text, String printed) {
    Backoff backoff = Backoff.valueOf(text);
    assertEquals(printed, backoff.toString());
    assertEquals(Backoff.valueOf(printed), backoff);
  }

  @Test
  void theTextIsThatOfTheFactories() {
    Duration base = Duration.ofMillis(100);
    Duration cap = Duration.ofSeconds(20);
    assertEquals(Backoff.none(), Backoff.valueOf("none"));
    assertEquals(Backoff.fixed(base), Backoff.valueOf("fixed(100ms)"));
    assertEquals(Backoff.linear(base, cap), Backoff.valueOf("linear(100ms..20s)"));
    assertEquals(Backoff.exponential(base, cap), Backoff.valueOf("exponential(100ms..20s)"));
    assertEquals(Backoff.fullJitter(base, 1.5, cap), Backoff.valueOf("full(100ms..20s, x1.5)"));
    assertEquals(Backoff.equalJitter(base, cap), Backoff.valueOf("equal(100ms..20s)"));
    assertEquals(
        Backoff.decorrelatedJitter(base, cap), Backoff.valueOf("decorrelated(100ms..20s)"));
  }

  @Test
  void whatIsPrintedIsReadBack_forRandomStrategies() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < Draws.cases(50_000); i++) {
      Backoff backoff = anyBackoff(random);
      assertEquals(backoff, Backoff.valueOf(backoff.toString()), backoff.toString());
    }
  }

  static Backoff anyBackoff(SplittableRandom random) {
    long base = 1 + random.nextLong(Long.MAX_VALUE >>> random.nextInt(63));
    long cap = base + random.nextLong(Long.MAX_VALUE - base + 1);
    double multiplier =
        random.nextBoolean() ? 1 + random.nextInt(1000) : random.nextDouble(1, 1000);
    Duration from = Duration.ofNanos(base);
    Duration to = Duration.ofNanos(cap);
    return switch (random.nextInt(7)) {
      case 0 -> Backoff.none();
      case 1 -> Backoff.fixed(from);
      case 2 -> Backoff.linear(from, to);
      case 3 -> Backoff.exponential(from, multiplier, to);
      case 4 -> Backoff.fullJitter(from, multiplier, to);
      case 5 -> Backoff.equalJitter(from, multiplier, to);
      default -> Backoff.decorrelatedJitter(from, multiplier, to);
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                        |  1 | the end  | none, fixed, linear, exponential, full,",
        "fulll(1s..2s)             |  1 | 'f'      | none, fixed, linear, exponential, full,",
        "Full(1s..2s)              |  1 | 'F'      | none, fixed, linear, exponential, full,",
        "` none`                   |  1 | ' '      | none, fixed, linear, exponential, full,",
        "`none `                   |  5 | ' '      | the end of the text",
        "none(1s)                  |  5 | '('      | the end of the text",
        "fixed                     |  6 | the end  | '('",
        "fixed 1s                  |  6 | ' '      | '('",
        "fixed(                    |  7 | the end  | a duration such as 100ms",
        "fixed()                   |  7 | ')'      | a duration such as 100ms",
        "fixed(-1s)                |  7 | '-'      | a duration such as 100ms",
        "fixed(1)                  |  8 | ')'      | a unit: ns, us, ms, s, m, h or d",
        "fixed(1.s)                |  8 | '.'      | a unit: ns, us, ms, s, m, h or d",
        "fixed(1S)                 |  8 | 'S'      | a unit: ns, us, ms, s, m, h or d",
        "fixed(1sec)               |  8 | 's'      | a unit: ns, us, ms, s, m, h or d",
        "fixed(1s                  |  9 | the end  | ')'",
        "fixed(1s..2s)             |  9 | '.'      | ')'",
        "fixed(9223372036854775808ns) | 7 | '9'    | a number of at most 9223372036854775807",
        "fixed(9223372036854775807us) | 7 | '9'    | a duration of at most 9223372036854775807ns",
        "fixed(106752d)            |  7 | '1'      | a duration of at most 9223372036854775807ns",
        "linear(1s..2s, x2)        | 14 | ','      | ')'",
        "full(0s..2s)              |  6 | '0'      | a base of more than zero",
        "full(1s)                  |  8 | ')'      | '..'",
        "full(1s.2s)               |  8 | '.'      | '..'",
        "full(2s..1s)              | 10 | '1'      | a cap of at least the base, 2s",
        "full(1s..2s, 2)           | 14 | '2'      | 'x'",
        "full(1s..2s, x)           | 15 | ')'      | a growth such as x1.5",
        "full(1s..2s, x-2)         | 15 | '-'      | a growth such as x1.5",
        "full(1s..2s, x1.5.5)      | 15 | '1'      | a growth such as x1.5",
        "full(1s..2s, x0.5)        | 15 | '0'      | a growth of 1 to 1000",
        "full(1s..2s, x1001)       | 15 | '1'      | a growth of 1 to 1000",
        "full(1s..2s, xNaN)        | 15 | 'N'      | a growth such as x1.5",
        "full(1s..2s, x2           | 16 | the end  | ')'",
        "equal(1s..2s))            | 14 | ')'      | the end of the text"
      })
  void anErrorPointsAtTheCharacter(String text, int character, String found, String expected) {
    Exception thrown = assertThrows(IllegalArgumentException.class, () -> Backoff.valueOf(text));
    String[] lines = thrown.getMessage().split("\n", -1);
    String start = "character " + character + ": " + found + " (expected: " + expected;
    assertTrue(lines[0].startsWith(start), thrown.getMessage());
    assertEquals("  " + text, lines[1]);
    assertEquals(" ".repeat(2 + character - 1) + "^", lines[2]);
  }

  @Test
  void aLimitIsStillAllowed() {
    assertEquals("fixed(106751d)", Backoff.valueOf("fixed(106751d)").toString());
    assertEquals(
        "fixed(9223372036854775807ns)", Backoff.valueOf("fixed(9223372036854775807ns)").toString());
    assertEquals("full(1s..1s, x1)", Backoff.valueOf("full(1s..1s, x1)").toString());
  }

  @Test
  void anyMutationIsReadOrRejected_neverAnythingElse() {
    SplittableRandom random = new SplittableRandom(5);
    int read = 0;
    int cases = Draws.cases(200_000);
    for (int i = 0; i < cases; i++) {
      String text = Mutations.mutate(anyBackoff(random).toString(), random);
      try {
        Backoff backoff = Backoff.valueOf(text);
        assertEquals(backoff, Backoff.valueOf(backoff.toString()), text);
        read++;
      } catch (IllegalArgumentException expected) {
        assertTrue(expected.getMessage().startsWith("character "), expected::getMessage);
      }
    }
    assertTrue(read > cases / 200, "mutations that are still a strategy: " + read);
  }
}
