package dev.steadfast.retry;

/** The common part of exponential strategies: {@code min(cap, base * multiplier^(retry-1))}. */
final class ExponentialCeilings {
  private static final int TABLE = 64;

  private final long base;
  private final double multiplier;
  private final long cap;
  // The ceilings of the first retries: a power per call would cost more than drawing a delay.
  private final long[] first;

  ExponentialCeilings(long base, double multiplier, long cap) {
    this.base = base;
    this.multiplier = multiplier;
    this.cap = cap;
    this.first = new long[TABLE];
    for (int i = 0; i < TABLE; i++) {
      first[i] = computed(i);
    }
  }

  // The comparison is done in doubles, where a product beyond the range of a long is still right.
  // The conversion to a double may round the base itself down beyond 2^53 (104 days).
  private long computed(int exponent) {
    double product = base * power(multiplier, exponent);
    return product >= cap ? cap : Math.max(base, (long) product);
  }

  // Not Math.pow, which may differ in the last bit from one JDK or processor to another. Delays are
  // the same everywhere, to the nanosecond.
  private static double power(double factor, int exponent) {
    double power = 1;
    double square = factor;
    for (int rest = exponent; rest > 0; rest >>= 1) {
      if ((rest & 1) == 1) {
        power *= square;
      }
      square *= square;
    }
    return power;
  }

  long of(int retry) {
    int index = retry - 1;
    // The JIT compiler makes this one comparison, which also covers the bounds check of the array.
    if (index >= 0 && index < first.length) {
      return first[index];
    }
    return retry < 1 ? first[0] : computed(index);
  }
}
