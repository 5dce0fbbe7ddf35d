package dev.steadfast.retry;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/** Sources of randomness for tests: fixed draws, and pseudo-random ones from a fixed seed. */
public final class Draws {
  /** The ends of the range of a draw, and the two values about its middle. */
  static final long[] EXTREMES = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1};

  private static final boolean THOROUGH = Boolean.getBoolean("steadfast.thorough");

  private Draws() {}

  /** How many random cases a test tries: a tenth of them without -Dsteadfast.thorough=true. */
  public static int cases(int thorough) {
    return THOROUGH ? thorough : thorough / 10;
  }

  /** The lowest value of every range. */
  public static LongSupplier lowest() {
    return always(0);
  }

  /** The highest value of every range: draws are read as unsigned. */
  public static LongSupplier highest() {
    return always(-1);
  }

  public static LongSupplier always(long bits) {
    return () -> bits;
  }

  public static LongSupplier seeded(long seed) {
    return new SplittableRandom(seed)::nextLong;
  }
}
