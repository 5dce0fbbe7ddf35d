package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.steadfast.retry.internal.Uniform;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arithmetic of the built-in strategies, over the whole range of their arguments. */
class BackoffTest {
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
  private static final int[] RETRIES = {
    1, 2, 3, 10, 62, 63, 64, 65, 66, 1000, Integer.MAX_VALUE - 1, Integer.MAX_VALUE
  };
  private static final long[] NANOS = {
    1, 2, 3, 999, 100_000_000, 20_000_000_000L, 1L << 53, (1L << 62) + 1, Long.MAX_VALUE - 1
  };
  private static final double[] MULTIPLIERS = {1, 1.0000001, 1.5, 2, 3, 1000};

  /** A strategy with the bounds that its delays must keep. */
  record Strategy(Backoff backoff, long least, long cap) {
    @Override
    public String toString() {
      return backoff.toString();
    }
  }

  static Stream<Strategy> strategies() {
    List<Strategy> all = new ArrayList<>();
    all.add(new Strategy(Backoff.none(), 0, 0));
    for (long base : NANOS) {
      all.add(new Strategy(Backoff.fixed(Duration.ofNanos(base)), base, base));
      for (long cap : NANOS) {
        if (cap >= base) {
          addBounded(all, base, cap);
        }
      }
      addBounded(all, base, Long.MAX_VALUE);
    }
    return all.stream();
  }

  private static void addBounded(List<Strategy> all, long baseNanos, long capNanos) {
    Duration base = Duration.ofNanos(baseNanos);
    Duration cap = Duration.ofNanos(capNanos);
    all.add(new Strategy(Backoff.linear(base, cap), baseNanos, capNanos));
    for (double multiplier : MULTIPLIERS) {
      all.add(new Strategy(Backoff.exponential(base, multiplier, cap), baseNanos, capNanos));
      all.add(new Strategy(Backoff.fullJitter(base, multiplier, cap), 0, capNanos));
      all.add(new Strategy(Backoff.equalJitter(base, multiplier, cap), baseNanos / 2, capNanos));
      all.add(new Strategy(Backoff.decorrelatedJitter(base, multiplier, cap), baseNanos, capNanos));
    }
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void staysWithinItsBounds_forAllRetriesAndDraws(Strategy strategy) {
    LongSupplier seeded = Draws.seeded(strategy.cap());
    for (int retry : RETRIES) {
      for (long previous : new long[] {0, 1, strategy.least(), strategy.cap(), Long.MAX_VALUE}) {
        for (long bits : Draws.EXTREMES) {
          assertWithin(strategy, retry, previous, Draws.always(bits));
        }
        assertWithin(strategy, retry, previous, seeded);
      }
    }
  }

  private static void assertWithin(
      Strategy strategy, int retry, long previous, LongSupplier random) {
    long delay = strategy.backoff().delayNanos(retry, previous, random);
    assertTrue(
        delay >= strategy.least() && delay <= strategy.cap(),
        () -> strategy + ", retry " + retry + " after " + previous + ": " + delay);
  }

  @Test
  void staysWithinItsBounds_forRandomArguments() {
    SplittableRandom random = new SplittableRandom(20140606);
    for (int i = 0; i < Draws.cases(200_000); i++) {
      long base = 1 + random.nextLong(Long.MAX_VALUE >>> random.nextInt(63));
      long cap = base + random.nextLong(Long.MAX_VALUE - base + 1);
      List<Strategy> one = new ArrayList<>();
      addBounded(one, base, cap);
      Strategy strategy = one.get(random.nextInt(one.size()));
      int retry = 1 + random.nextInt(Integer.MAX_VALUE >>> random.nextInt(31));
      assertWithin(strategy, retry, random.nextLong(Long.MAX_VALUE), random::nextLong);
    }
  }

  @Test
  void acceptsDurationsBeyondTheRangeOfNanoseconds() {
    Duration ages = Duration.ofSeconds(Long.MAX_VALUE);
    assertEquals(Long.MAX_VALUE, Backoff.fixed(ages).delayNanos(1, 0, Draws.lowest()));
    assertEquals(Long.MAX_VALUE, Backoff.linear(ages, ages).delayNanos(1, 0, Draws.lowest()));
    assertEquals(
        Long.MAX_VALUE,
        Backoff.fullJitter(Duration.ofNanos(1), ages)
            .delayNanos(Integer.MAX_VALUE, 0, Draws.highest()));
  }

  @Test
  void fixed_isTheSameForEveryRetry() {
    Backoff backoff = Backoff.fixed(Duration.ofMillis(7));
    assertEquals("7 7 7", millis(backoff, 3, Draws.highest()));
    assertEquals("0 0 0", millis(Backoff.none(), 3, Draws.highest()));
    assertEquals(Backoff.none(), Backoff.fixed(Duration.ZERO));
  }

  @Test
  void linear_growsByItsBase_toExactlyTheCap() {
    Backoff backoff = Backoff.linear(Duration.ofMillis(100), Duration.ofMillis(350));
    assertEquals("100 200 300 350 350", millis(backoff, 5, Draws.highest()));
    Backoff even = Backoff.linear(Duration.ofMillis(100), Duration.ofMillis(300));
    assertEquals("100 200 300 300", millis(even, 4, Draws.highest()));
  }

  @Test
  void exponential_doublesByDefault_toExactlyTheCap() {
    Backoff backoff = Backoff.exponential(Duration.ofMillis(100), Duration.ofMillis(1500));
    assertEquals("100 200 400 800 1500 1500", millis(backoff, 6, Draws.highest()));
    Backoff threefold = Backoff.exponential(Duration.ofMillis(1), 3, Duration.ofMillis(30));
    assertEquals("1 3 9 27 30", millis(threefold, 5, Draws.highest()));
    Backoff half = Backoff.exponential(Duration.ofMillis(100), 1.5, Duration.ofSeconds(9));
    assertEquals("100 150 225 337", millis(half, 4, Draws.highest()));
    Backoff flat = Backoff.exponential(Duration.ofMillis(5), 1, Duration.ofSeconds(9));
    assertEquals("5 5 5", millis(flat, 3, Draws.highest()));
  }

  @Test
  void exponential_countsARetryBelowOneAsTheFirst() {
    Backoff backoff = Backoff.exponential(Duration.ofMillis(5), Duration.ofSeconds(9));
    assertEquals(5_000_000, backoff.delayNanos(0, 0, Draws.lowest()));
    assertEquals(5_000_000, backoff.delayNanos(Integer.MIN_VALUE, 0, Draws.lowest()));
  }

  @Test
  void full_drawsFromZeroToTheCeiling() {
    Backoff backoff = Backoff.fullJitter(Duration.ofMillis(100), Duration.ofMillis(700));
    assertEquals("0 0 0 0", millis(backoff, 4, Draws.lowest()));
    assertEquals("100 200 400 700", millis(backoff, 4, Draws.highest()));
    assertEquals("50 100 200 350", millis(backoff, 4, Draws.always(Long.MIN_VALUE)));
  }

  @Test
  void equal_drawsFromHalfTheCeilingToTheCeiling() {
    Backoff backoff = Backoff.equalJitter(Duration.ofMillis(100), Duration.ofMillis(700));
    assertEquals("50 100 200 350", millis(backoff, 4, Draws.highest()));
    assertEquals("100 200 400 700", millis(backoff, 4, Draws.lowest()));
  }

  @Test
  void decorrelated_drawsFromTheBaseToThreeTimesThePreviousDelay() {
    Backoff backoff = Backoff.decorrelatedJitter(Duration.ofMillis(100), Duration.ofSeconds(2));
    assertEquals("100 100 100", millis(backoff, 3, Draws.lowest()));
    assertEquals("300 900 2000 2000", millis(backoff, 4, Draws.highest()));
    Backoff slower = Backoff.decorrelatedJitter(Duration.ofMillis(100), 1.5, Duration.ofSeconds(2));
    assertEquals("150 225", millis(slower, 2, Draws.highest()));
  }

  private static String millis(Backoff backoff, int retries, LongSupplier random) {
    List<String> all = new ArrayList<>();
    long previous = 0;
    for (int retry = 1; retry <= retries; retry++) {
      previous = backoff.delayNanos(retry, previous, random);
      all.add(Long.toString(previous / 1_000_000));
    }
    return String.join(" ", all);
  }

  @Test
  void ceilings_areThoseOfExactArithmetic() {
    for (long base : NANOS) {
      for (double multiplier : MULTIPLIERS) {
        Backoff backoff = Backoff.exponential(Duration.ofNanos(base), multiplier, LONGEST);
        for (int retry = 1; retry <= 130; retry++) {
          double exact =
              BigDecimal.valueOf(multiplier)
                  .pow(retry - 1, MathContext.DECIMAL64)
                  .multiply(BigDecimal.valueOf(base))
                  .min(BigDecimal.valueOf(Long.MAX_VALUE))
                  .doubleValue();
          long delay = backoff.delayNanos(retry, 0, Draws.lowest());
          assertEquals(
              exact, (double) delay, Math.max(1, exact * 1e-12), backoff + ", retry " + retry);
        }
      }
    }
  }

  @Test
  void ceilings_areTheSameWithinAndBeyondTheTable() {
    Backoff slow = Backoff.exponential(Duration.ofMillis(1), 1.001, LONGEST);
    long before = 0;
    for (int retry = 1; retry <= 200; retry++) {
      long delay = slow.delayNanos(retry, 0, Draws.lowest());
      assertEquals(1e6 * Math.pow(1.001, retry - 1), (double) delay, 1, "retry " + retry);
      assertTrue(delay > before, "retry " + retry);
      before = delay;
    }
  }

  @Test
  void uniform_isTheHighHalfOfTheUnsignedProduct() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 100_000; i++) {
      long max = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63);
      assertUniform(max, random.nextLong());
    }
    for (long max : new long[] {0, 1, 2, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
      for (long bits : Draws.EXTREMES) {
        assertUniform(max, bits);
      }
    }
  }

  private static void assertUniform(long max, long bits) {
    BigInteger unsigned = new BigInteger(Long.toUnsignedString(bits));
    long exact =
        BigInteger.valueOf(max)
            .add(BigInteger.ONE)
            .multiply(unsigned)
            .shiftRight(64)
            .longValueExact();
    assertEquals(exact, Uniform.upTo(max, Draws.always(bits)), () -> max + ", " + bits);
  }

  @Test
  void jitterSurvivesAtTheCap() {
    Duration base = Duration.ofMillis(100);
    Duration cap = Duration.ofSeconds(20);
    long capNanos = cap.toNanos();
    for (int retry : new int[] {9, 64, 65, Integer.MAX_VALUE}) {
      assertEvenlySpread(Backoff.fullJitter(base, cap), retry, 0, capNanos);
      assertEvenlySpread(Backoff.equalJitter(base, cap), retry, capNanos / 2, capNanos);
      assertEvenlySpread(Backoff.decorrelatedJitter(base, cap), retry, base.toNanos(), capNanos);
    }
    assertEvenlySpread(Backoff.fullJitter(LONGEST, LONGEST), 5, 0, Long.MAX_VALUE);
  }

  // Of 20,000 draws, each tenth of the range gets a tenth: 2,000, of which 10 % are over 4 sigma.
  private static void assertEvenlySpread(Backoff backoff, int retry, long low, long high) {
    LongSupplier random = Draws.seeded(retry);
    int[] tenths = new int[10];
    for (int i = 0; i < 20_000; i++) {
      long delay = backoff.delayNanos(retry, high, random);
      tenths[(int) Math.min(9, 10.0 * (delay - low) / (high - low))]++;
    }
    boolean even = Arrays.stream(tenths).allMatch(count -> count > 1_800 && count < 2_200);
    assertTrue(even, () -> backoff + ", retry " + retry + ": " + Arrays.toString(tenths));
  }

  @Test
  void decorrelated_keepsItsSpreadOverAChainOfDelays() {
    Backoff backoff = Backoff.decorrelatedJitter(Duration.ofMillis(100), Duration.ofSeconds(20));
    LongSupplier random = Draws.seeded(3);
    long cap = Duration.ofSeconds(20).toNanos();
    int nearTheCap = 0;
    for (int client = 0; client < 10_000; client++) {
      long previous = 0;
      for (int retry = 1; retry <= 30; retry++) {
        previous = backoff.delayNanos(retry, previous, random);
      }
      nearTheCap += previous > cap - cap / 100 ? 1 : 0;
    }
    // Clamping the number drawn, instead of the range, puts a third of them and more at the cap.
    assertTrue(nearTheCap < 500, () -> "clients at the cap together");
  }

  @ParameterizedTest
  @ValueSource(
      doubles = {
        0,
        -0.0,
        -1,
        0.999,
        1000.0000001,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY
      })
  void rejectsAMultiplierOutOfRange(double multiplier) {
    Duration base = Duration.ofMillis(1);
    String expected = "multiplier: " + multiplier + " (expected: 1.0 to 1000.0)";
    assertRejected(expected, () -> Backoff.exponential(base, multiplier, base));
    assertRejected(expected, () -> Backoff.fullJitter(base, multiplier, base));
    assertRejected(expected, () -> Backoff.equalJitter(base, multiplier, base));
    assertRejected(expected, () -> Backoff.decorrelatedJitter(base, multiplier, base));
  }

  @Test
  void rejectsABaseThatIsNotPositive_andACapBelowTheBase() {
    Duration one = Duration.ofMillis(1);
    Duration minus = Duration.ofMillis(-1);
    String noBase = "base: PT0S (expected: more than zero)";
    assertRejected(noBase, () -> Backoff.linear(Duration.ZERO, one));
    assertRejected(noBase, () -> Backoff.exponential(Duration.ZERO, one));
    assertRejected(noBase, () -> Backoff.fullJitter(Duration.ZERO, one));
    assertRejected(noBase, () -> Backoff.equalJitter(Duration.ZERO, one));
    assertRejected(noBase, () -> Backoff.decorrelatedJitter(Duration.ZERO, one));
    assertRejected("base: PT-0.001S (expected: more than zero)", () -> Backoff.linear(minus, one));
    assertRejected("delay: PT-0.001S (expected: zero or more)", () -> Backoff.fixed(minus));

    Duration two = Duration.ofMillis(2);
    String lowCap = "cap: PT0.001S (expected: at least the base, PT0.002S)";
    assertRejected(lowCap, () -> Backoff.linear(two, one));
    assertRejected(lowCap, () -> Backoff.exponential(two, one));
    assertRejected(lowCap, () -> Backoff.fullJitter(two, one));
    assertRejected(lowCap, () -> Backoff.equalJitter(two, one));
    assertRejected(lowCap, () -> Backoff.decorrelatedJitter(two, one));
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a caller without null checks may do
  void rejectsNull_byName() {
    Duration one = Duration.ofMillis(1);
    assertNull("delay", () -> Backoff.fixed(null));
    assertNull("base", () -> Backoff.linear(null, one));
    assertNull("cap", () -> Backoff.linear(one, null));
    assertNull("base", () -> Backoff.fullJitter(null, one));
    assertNull("cap", () -> Backoff.decorrelatedJitter(one, null));
    assertNull("text", () -> Backoff.valueOf(null));
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
  void comparesByValue() {
    Duration base = Duration.ofMillis(1);
    Duration cap = Duration.ofMillis(9);
    List<Backoff> different =
        List.of(
            Backoff.none(),
            Backoff.fixed(base),
            Backoff.linear(base, cap),
            Backoff.linear(base, base),
            Backoff.exponential(base, cap),
            Backoff.fullJitter(base, cap),
            Backoff.fullJitter(cap, cap),
            Backoff.fullJitter(base, 3, cap),
            Backoff.fullJitter(base, base),
            Backoff.equalJitter(base, cap),
            Backoff.decorrelatedJitter(base, cap),
            Backoff.decorrelatedJitter(base, 2, cap));
    for (Backoff one : different) {
      assertEquals(1, different.stream().filter(one::equals).count(), one.toString());
      Backoff same = Backoff.valueOf(one.toString());
      assertEquals(one, same);
      assertEquals(one.hashCode(), same.hashCode());
    }
    assertNotEquals(different.get(5), "full(1ms..9ms)");
    assertNotEquals(
        Backoff.fullJitter(base, cap).hashCode(), Backoff.fullJitter(cap, cap).hashCode());
    assertNotEquals(
        Backoff.fullJitter(base, cap).hashCode(), Backoff.fullJitter(base, base).hashCode());
    assertNotEquals(
        Backoff.decorrelatedJitter(base, cap).hashCode(),
        Backoff.decorrelatedJitter(base, base).hashCode());
    assertSame(Backoff.none(), Backoff.valueOf("none"));
  }

  @Test
  void anOwnStrategyIsALambda() {
    Backoff own = (retry, previousNanos, random) -> retry * 10L + previousNanos;
    assertEquals("0 0 0", millis(own, 3, Draws.lowest()));
    assertEquals(25, own.delayNanos(2, 5, Draws.lowest()));
  }

  static Stream<Backoff> oneOfEachKind() {
    Duration base = Duration.ofMillis(100);
    Duration cap = Duration.ofSeconds(20);
    return Stream.of(
        Backoff.none(),
        Backoff.fixed(base),
        Backoff.linear(base, cap),
        Backoff.exponential(base, 1.5, cap),
        Backoff.fullJitter(base, cap),
        Backoff.equalJitter(base, cap),
        Backoff.decorrelatedJitter(base, cap));
  }

  @ParameterizedTest
  @MethodSource("oneOfEachKind")
  void allocatesNothing(Backoff backoff) {
    LongSupplier random = Draws.seeded(1);
    LongUnaryOperator delays =
        previous -> {
          long last = previous;
          for (int retry = 1; retry <= 1_000; retry++) {
            last = backoff.delayNanos(retry, last, random);
          }
          return last;
        };
    assertEquals(0, leastAllocatedBytes(delays), backoff.toString());
  }

  // The least of many rounds: a compiler or agent may allocate on this thread now and then.
  private static long leastAllocatedBytes(LongUnaryOperator work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return IntStream.range(0, 50)
        .mapToLong(round -> {
          long before = threads.getCurrentThreadAllocatedBytes();
          long result = work.applyAsLong(round);
          long after = threads.getCurrentThreadAllocatedBytes();
          assertTrue(result >= 0);
          return after - before;
        })
        .min()
        .orElseThrow();
  }
}
