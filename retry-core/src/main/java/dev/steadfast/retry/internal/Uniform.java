package dev.steadfast.retry.internal;

import java.util.function.LongSupplier;

/** Uniform random numbers at the cost of one draw and no division. */
public final class Uniform {
  private Uniform() {}

  /**
   * A number in [0, max]: the high half of a 128-bit product. Its bias is below max / 2^64, which
   * no measurement of a delay can see.
   *
   * @param max 0 or more
   * @param random drawn from once
   * @return a number from 0 to max
   */
  public static long upTo(long max, LongSupplier random) {
    return max == Long.MAX_VALUE ? random.getAsLong() >>> 1 : below(max + 1, random);
  }

  /**
   * A number in [0, bound).
   *
   * @param bound 1 or more
   * @param random drawn from once
   * @return a number from 0 to bound - 1
   */
  public static long below(long bound, LongSupplier random) {
    long bits = random.getAsLong();
    // multiplyHigh reads the bits as signed; one that multiplies unsigned came with JDK 18.
    return Math.multiplyHigh(bits, bound) + ((bits >> 63) & bound);
  }
}
