package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The text form of policies. */
class PolicyTextTest {
  private static final String DEFAULTS =
      "maxAttempts=3; backoff=full(100ms..20s); totalTimeout=30s; attemptTimeout=none;"
          + " bodyIdleTimeout=none; minimumAttempt=1ms; maxServerDelay=1m; aboveCeiling=give-up; serverDelaySpread=1.0";

  @Test
  void printsEverySettingWithItsUnit() {
    assertEquals(DEFAULTS, RetryPolicy.defaults().toString());
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(10)
            .backoff(Backoff.none())
            .noTotalTimeout()
            .attemptTimeouts(
                List.of(Duration.ofSeconds(1), Duration.ofMillis(2500), Duration.ofHours(1)))
            .noBodyIdleTimeout()
            .minimumAttempt(Duration.ofNanos(7))
            .maxServerDelay(Duration.ZERO)
            .aboveCeiling(RetryPolicy.AboveCeiling.CLAMP)
            .serverDelaySpread(0.00001)
            .build();
    assertEquals(
        "maxAttempts=10; backoff=none; totalTimeout=none; attemptTimeout=1s,2500ms,1h;"
            + " bodyIdleTimeout=none; minimumAttempt=7ns; maxServerDelay=0s; aboveCeiling=clamp; serverDelaySpread=1.0E-5",
        policy.toString());
    assertEquals(policy, RetryPolicy.valueOf(policy.toString()));
  }

  @Test
  void aBackoffOfItsOwn_isNamedByTheKindOfFailure() {
    RetryPolicy policy =
        RetryPolicy.builder()
            .backoff(FailureKind.UNAVAILABLE, Backoff.fixed(Duration.ofSeconds(3)))
            .backoff(FailureKind.CONNECTION_LOST, Backoff.none())
            .backoff(Backoff.valueOf("full(50ms..20s)"))
            .backoff(FailureKind.THROTTLED, Backoff.valueOf("full(1s..20s)"))
            .build();
    assertEquals(
        "maxAttempts=3; backoff=full(50ms..20s); backoff.connection-lost=none;"
            + " backoff.throttled=full(1s..20s); backoff.unavailable=fixed(3s);"
            + " totalTimeout=30s",
        policy.toString().substring(0, policy.toString().indexOf("; attemptTimeout")));
    assertEquals(policy, RetryPolicy.valueOf(policy.toString()));
    assertEquals(
        policy,
        RetryPolicy.valueOf(
            "backoff.throttled=full(1s..20s);backoff.unavailable=fixed(3s) ;"
                + " backoff.connection-lost=none; backoff=full(50ms..20s)"));
  }

  @ParameterizedTest
  @EnumSource
  void eachKindHasAName(FailureKind kind) {
    RetryPolicy policy = RetryPolicy.builder().backoff(kind, Backoff.none()).build();
    assertEquals(policy, RetryPolicy.valueOf(policy.toString()));
    assertEquals(Backoff.none(), RetryPolicy.valueOf(policy.toString()).backoff(kind));
  }

  @Test
  void readsWhatItPrints_forRandomPolicies() {
    SplittableRandom random = new SplittableRandom(12);
    for (int i = 0; i < Draws.cases(20_000); i++) {
      RetryPolicy policy = anyPolicy(random);
      RetryPolicy read = RetryPolicy.valueOf(policy.toString());
      assertEquals(policy, read);
      assertEquals(policy.toString(), read.toString());
    }
  }

  private static RetryPolicy anyPolicy(SplittableRandom random) {
    RetryPolicy.Builder builder =
        RetryPolicy.builder()
            .maxAttempts(1 + random.nextInt(Integer.MAX_VALUE >>> random.nextInt(31)))
            .backoff(BackoffTextTest.anyBackoff(random))
            .maxServerDelay(anyDuration(random))
            .serverDelaySpread(random.nextInt(3) == 0 ? random.nextInt(11) : random.nextDouble(10));
    for (int i = random.nextInt(3); i > 0; i--) {
      FailureKind[] kinds = FailureKind.values();
      builder.backoff(kinds[random.nextInt(kinds.length)], BackoffTextTest.anyBackoff(random));
    }
    if (random.nextBoolean()) {
      builder.aboveCeiling(RetryPolicy.AboveCeiling.CLAMP);
    }
    if (random.nextBoolean()) {
      List<Duration> timeouts = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        timeouts.add(anyDuration(random));
      }
      builder.attemptTimeouts(timeouts);
    }
    if (random.nextBoolean()) {
      builder.bodyIdleTimeout(anyDuration(random));
    } else if (random.nextBoolean()) {
      builder.noBodyIdleTimeout();
    }
    Duration minimum = anyDuration(random);
    builder.minimumAttempt(minimum);
    return random.nextBoolean()
        ? builder.noTotalTimeout().build()
        : builder.totalTimeout(minimum.plus(anyDuration(random))).build();
  }

  private static Duration anyDuration(SplittableRandom random) {
    return Duration.ofNanos(1 + random.nextLong(Long.MAX_VALUE >>> random.nextInt(63)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "   ", DEFAULTS, DEFAULTS + ";", " " + DEFAULTS + " ; "})
  void whatIsNotNamedKeepsItsDefault(String text) {
    assertEquals(RetryPolicy.defaults(), RetryPolicy.valueOf(text));
  }

  @Test
  void namesMayComeInAnyOrder_withAnySpaces() {
    RetryPolicy expected =
        RetryPolicy.builder()
            .maxAttempts(4)
            .totalTimeout(Duration.ofSeconds(5))
            .attemptTimeouts(List.of(Duration.ofSeconds(1), Duration.ofSeconds(2)))
            .aboveCeiling(RetryPolicy.AboveCeiling.CLAMP)
            .build();
    for (String text :
        List.of(
            "maxAttempts=4; totalTimeout=5s; attemptTimeout=1s,2s; aboveCeiling=clamp",
            "aboveCeiling=clamp;attemptTimeout=1s,2s;totalTimeout=5s;maxAttempts=4",
            "  attemptTimeout=1s,  2s ;   aboveCeiling=clamp ; totalTimeout=5s ;maxAttempts=4 ")) {
      assertEquals(expected, RetryPolicy.valueOf(text));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1m30s, 90000000000",
    "1.5s, 1500000000",
    "0.25ms, 250000",
    "2h0m1.5s, 7201500000000",
    "1d2h3m4s5ms6us7ns, 93784005006007",
    "0.000000001s, 1",
    "1.50m, 90000000000",
    "106751d23h47m16.854775807s, 9223372036854775807"
  })
  void aDurationMayHaveSeveralUnits_andAPoint(String text, long nanos) {
    RetryPolicy policy = RetryPolicy.valueOf("bodyIdleTimeout=1h; maxServerDelay=" + text);
    assertEquals(Duration.ofNanos(nanos), policy.maxServerDelay());
    assertEquals(policy, RetryPolicy.valueOf(policy.toString()));
    Duration half = Duration.ofMillis(1500);
    assertEquals(Backoff.fixed(half), Backoff.valueOf("fixed(1.5s)"));
    assertEquals(
        List.of(half, Duration.ofSeconds(90)),
        RetryPolicy.valueOf("attemptTimeout=1.5s, 1m30s").attemptTimeouts());
    assertEquals(
        Backoff.fullJitter(half, Duration.ofSeconds(90)), Backoff.valueOf("full(1.5s..1m30s)"));
  }

  @ParameterizedTest
  @CsvSource({
    "max-attempts=3, maxAttempts",
    "max_attempts=3, maxAttempts",
    "MaxAttempts=3, maxAttempts",
    "maxattempts=3, maxAttempts",
    "total-timeout=3s, totalTimeout",
    "server-delay-spread=1, serverDelaySpread"
  })
  void aNameInAnotherSpelling_isAnsweredWithTheRightOne(String text, String name) {
    Exception thrown =
        assertThrows(IllegalArgumentException.class, () -> RetryPolicy.valueOf(" " + text));
    String wrong = text.substring(0, text.indexOf('='));
    String[] lines = thrown.getMessage().split("\n", -1);
    assertEquals("character 2: " + wrong + " (expected: " + name + ")", lines[0]);
    assertEquals("   ^", lines[2]);
  }

  @Test
  void noneTakesBackWhatADefaultSays() {
    assertEquals(
        RetryPolicy.builder().noTotalTimeout().build(), RetryPolicy.valueOf("totalTimeout=none"));
    assertEquals(
        RetryPolicy.builder().noBodyIdleTimeout().build(),
        RetryPolicy.valueOf("bodyIdleTimeout=none"));
    assertEquals(RetryPolicy.defaults(), RetryPolicy.valueOf("attemptTimeout=none"));
    assertEquals(RetryPolicy.defaults(), RetryPolicy.valueOf("aboveCeiling=give-up"));
  }

  @Test
  void anOwnStrategyIsPrintedAsItPrintsItself() {
    Backoff own =
        new Backoff() {
          @Override
          public long delayNanos(
              int retry, long previousNanos, java.util.function.LongSupplier random) {
            return 0;
          }

          @Override
          public String toString() {
            return "fibonacci";
          }
        };
    String text = RetryPolicy.builder().backoff(own).build().toString();
    assertTrue(text.contains("backoff=fibonacci;"), text);
    assertThrows(IllegalArgumentException.class, () -> RetryPolicy.valueOf(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "maxAttempts=0                      | 13 | maxAttempts: 0 (expected: >= 1)",
        "totalTimeout=0s                    | 14 | totalTimeout: PT0S (expected: more than zero)",
        "attemptTimeout=1s,0s               | 16 | attemptTimeout: PT0S (expected: more",
        "bodyIdleTimeout=0s                 | 17 | bodyIdleTimeout: PT0S (expected: more",
        "minimumAttempt=0ns                 | 16 | minimumAttempt: PT0S (expected: more",
        "serverDelaySpread=11                      | 19 | serverDelaySpread: 11.0 (expected: 0.0 to 10.0)",
        "serverDelaySpread=1E3                     | 19 | serverDelaySpread: 1000.0 (expected: 0.0 to 10.0)",
        "totalTimeout=1us                   | 14 | minimumAttempt: 1ms (expected: at most",
        "minimumAttempt=31s                 | 16 | minimumAttempt: 31s (expected: at most",
        "totalTimeout=3s; minimumAttempt=4s | 33 | minimumAttempt: 4s (expected: at most",
        "minimumAttempt=4s; totalTimeout=3s | 16 | minimumAttempt: 4s (expected: at most"
      })
  void aBrokenRuleIsToldAtItsValue(String text, int character, String rule) {
    Exception thrown =
        assertThrows(IllegalArgumentException.class, () -> RetryPolicy.valueOf(text));
    String[] lines = thrown.getMessage().split("\n", -1);
    assertTrue(lines[0].startsWith("character " + character + ": " + rule), thrown.getMessage());
    assertEquals(" ".repeat(2 + character - 1) + "^", lines[2]);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "attempts=3                     |  1 | 'a'     | maxAttempts, backoff, totalTimeout,",
        "max-tries=3                    |  1 | 'm'     | maxAttempts, backoff, totalTimeout,",
        "=3                             |  1 | '='     | maxAttempts, backoff, totalTimeout,",
        "; maxAttempts=3                |  1 | ';'     | '='",
        "maxAttempts                    | 12 | the end | '='",
        "maxAttempts =3                 | 12 | ' '     | '='",
        "maxAttempts=                   | 13 | the end | a number of attempts",
        "maxAttempts=three              | 13 | 't'     | a number of attempts",
        "maxAttempts=-1                 | 13 | '-'     | a number of attempts",
        "maxAttempts=2147483648         | 13 | '2'     | at most 2147483647 attempts",
        "maxAttempts=99999999999999999999 | 13 | '9'   | a number of at most 9223372036854775807",
        "maxAttempts=3, backoff=none    | 14 | ','     | ';'",
        "maxAttempts=3 backoff=none     | 15 | 'b'     | ';'",
        "maxAttempts=3; maxAttempts=4   | 16 | 'm'     | each name once, maxAttempts came before",
        "backoff=full(1s)               | 16 | ')'     | '..'",
        "backoff=full(2s..1s)           | 18 | '1'     | a cap of at least the base, 2s",
        "backoff=None                   |  9 | 'N'     | none, fixed, linear,",
        "backoff.=none                  |  9 | '='     | one of dns, connect,",
        "backoff.slow=none              |  9 | 's'     | one of dns, connect,",
        "backoff.THROTTLED=none         |  9 | 'T'     | one of dns, connect,",
        "backoff.connection_lost=none   |  9 | 'c'     | one of dns, connect,",
        "backoff.connection-=none       |  9 | 'c'     | one of dns, connect,",
        "backoff.throttled              | 18 | the end | '='",
        "backoff.throttled=fast         | 19 | 'f'     | none, fixed, linear,",
        "backoff.tls=none; backoff.tls=none | 19 | 'b' | each name once, backoff.tls came before",
        "totalTimeout.tls=1s            | 13 | '.'     | '='",
        "totalTimeout=30                | 16 | the end | a unit: ns, us, ms, s, m, h or d",
        "totalTimeout=nones             | 18 | 's'     | ';'",
        "totalTimeout=never             | 14 | 'n'     | a duration such as 100ms",
        "attemptTimeout=                | 16 | the end | a duration such as 100ms",
        "attemptTimeout=1s,             | 19 | the end | a duration such as 100ms",
        "attemptTimeout=1s,none         | 19 | 'n'     | a duration such as 100ms",
        "bodyIdleTimeout=              | 17 | the end | a duration such as 100ms",
        "bodyIdleTimeout=1s,2s         | 19 | ','     | ';'",
        "minimumAttempt=none            | 16 | 'n'     | a duration such as 100ms",
        "maxServerDelay=1.s             | 17 | '.'     | a unit: ns, us, ms, s, m, h or d",
        "maxServerDelay=.5s             | 16 | '.'     | a duration such as 100ms",
        "maxServerDelay=1s1m            | 19 | 'm'     | a unit smaller than the one before",
        "maxServerDelay=1s1s            | 19 | 's'     | a unit smaller than the one before",
        "maxServerDelay=1s5             | 19 | the end | a unit: ns, us, ms, s, m, h or d",
        "maxServerDelay=1.5ns           | 16 | '1'     | whole nanoseconds",
        "maxServerDelay=106751d24h      | 16 | '1'     | a duration of at most 9223372036854775807ns",
        "maxServerDelay=9223372036854775807ns1ns | 38 | 'n' | a unit smaller than the one before",
        "maxServerDelay=1w                 | 17 | 'w'     | a unit: ns, us, ms, s, m, h or d",
        "aboveCeiling=giveup            | 14 | 'g'     | give-up or clamp",
        "aboveCeiling=Clamp             | 14 | 'C'     | give-up or clamp",
        "serverDelaySpread=-1                  | 19 | '-'     | a share such as 1.0",
        "serverDelaySpread=NaN                 | 19 | 'N'     | a share such as 1.0",
        "serverDelaySpread=.                   | 19 | '.'     | a share such as 1.0",
        "serverDelaySpread=1e3                 | 20 | 'e'     | ';'"
      })
  void anErrorPointsAtTheCharacter(String text, int character, String found, String expected) {
    Exception thrown =
        assertThrows(IllegalArgumentException.class, () -> RetryPolicy.valueOf(text));
    String[] lines = thrown.getMessage().split("\n", -1);
    String start = "character " + character + ": " + found + " (expected: " + expected;
    assertTrue(lines[0].startsWith(start), thrown.getMessage());
    assertEquals("  " + text, lines[1]);
    assertEquals(" ".repeat(2 + character - 1) + "^", lines[2]);
  }

  @Test
  void anyMutationIsReadOrRejected_neverAnythingElse() {
    SplittableRandom random = new SplittableRandom(6);
    int read = 0;
    int cases = Draws.cases(100_000);
    for (int i = 0; i < cases; i++) {
      String text = Mutations.mutate(anyPolicy(random).toString(), random);
      try {
        RetryPolicy policy = RetryPolicy.valueOf(text);
        assertEquals(policy, RetryPolicy.valueOf(policy.toString()), text);
        read++;
      } catch (IllegalArgumentException expected) {
        assertTrue(expected.getMessage().startsWith("character "), expected::getMessage);
      }
    }
    assertTrue(read > cases / 200, "mutations that are still a policy: " + read);
  }
}
