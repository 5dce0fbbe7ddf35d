package dev.steadfast.retry.simulator;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Random numbers that are the same for the same seed on every JDK: one generator by its algorithm,
 * and transformations by {@link StrictMath} alone. Confined to one thread.
 */
final class Draws {
  private static final double UNIT = 0x1p-53;

  private final SplittableRandom random;
  private double spareGaussian;
  private boolean spare;

  private Draws(SplittableRandom random) {
    this.random = random;
  }

  static Draws of(long seed) {
    return new Draws(new SplittableRandom(seed));
  }

  /** One independent source for each run; the first ones are the same however many are asked. */
  static Draws[] each(long seed, int runs) {
    SplittableRandom root = new SplittableRandom(seed);
    Draws[] draws = new Draws[runs];
    for (int i = 0; i < runs; i++) {
      draws[i] = new Draws(root.split());
    }
    return draws;
  }

  /** A further independent source. */
  Draws split() {
    return new Draws(random.split());
  }

  /** The numbers themselves, for the library's jitter. */
  LongSupplier generator() {
    return random::nextLong;
  }

  /** Uniform in [0, 1). */
  double uniform() {
    return (random.nextLong() >>> 11) * UNIT;
  }

  /** Uniform in 0 to bound - 1. */
  int below(int bound) {
    return (int) (uniform() * bound);
  }

  /** Exponential with a mean. */
  double exponential(double mean) {
    return -mean * StrictMath.log(1 - uniform());
  }

  /** Normal, mean 0 and deviation 1: Marsaglia's polar method. */
  double gaussian() {
    if (spare) {
      spare = false;
      return spareGaussian;
    }
    double x;
    double y;
    double square;
    do {
      x = 2 * uniform() - 1;
      y = 2 * uniform() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double scale = StrictMath.sqrt(-2 * StrictMath.log(square) / square);
    spareGaussian = y * scale;
    spare = true;
    return x * scale;
  }
}
