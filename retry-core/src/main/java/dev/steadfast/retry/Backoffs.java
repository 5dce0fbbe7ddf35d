package dev.steadfast.retry;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** The built-in strategies behind {@link Backoff}. */
final class Backoffs {
  static final Backoff NONE = new Fixed(0);

  private Backoffs() {}

  static long base(Duration base) {
    return Durations.nanos(Checks.positive("base", base));
  }

  static long cap(Duration base, Duration cap) {
    if (Checks.notNull("cap", cap).compareTo(base) >= 0) {
      return Durations.nanos(cap);
    }
    throw Checks.bad("cap", cap, "at least the base, " + base);
  }

  static double multiplier(double multiplier) {
    return Checks.within("multiplier", multiplier, 1, 1000);
  }

  static Backoff exponential(Jitter jitter, Duration base, double multiplier, Duration cap) {
    return new Exponential(jitter, base(base), multiplier(multiplier), cap(base, cap));
  }

  /**
   * Uniform in [0, max], for any max of 0 or more: the high half of a 128-bit product, one draw and
   * no division. The bias is below max / 2^64, which no measurement of a delay can see.
   */
  static long uniform(long max, RandomGenerator random) {
    long bound = max + 1; // 2^63 at most, read as unsigned
    long bits = random.nextLong();
    return Math.multiplyHigh(bits, bound) + ((bits >> 63) & bound) + ((bound >> 63) & bits);
  }

  static Backoff read(TextReader in) {
    int start = in.position();
    String name = in.letters();
    return switch (name) {
      case "none" -> NONE;
      case "fixed" -> readFixed(in);
      case "linear" -> Range.read(in, Double.NaN).linear();
      case "exponential" -> Range.read(in, 2).exponential(Jitter.NONE);
      case "full" -> Range.read(in, 2).exponential(Jitter.FULL);
      case "equal" -> Range.read(in, 2).exponential(Jitter.EQUAL);
      case "decorrelated" -> Range.read(in, 3).decorrelated();
      default ->
          throw in.error(start, "none, fixed, linear, exponential, full, equal or decorrelated");
    };
  }

  private static Backoff readFixed(TextReader in) {
    in.expect("(");
    long delay = Durations.read(in);
    in.expect(")");
    return new Fixed(delay);
  }

  /** What stands in the brackets of a text form: base, cap, and a growth where one is allowed. */
  private record Range(long baseNanos, long capNanos, double multiplier) {
    static Range read(TextReader in, double usual) {
      in.expect("(");
      int baseAt = in.position();
      long base = Durations.read(in);
      if (base == 0) {
        throw in.error(baseAt, "a base of more than zero");
      }
      in.expect("..");
      int capAt = in.position();
      long cap = Durations.read(in);
      if (cap < base) {
        throw in.error(capAt, "a cap of at least the base, " + Durations.print(base));
      }
      double multiplier = Double.isNaN(usual) ? usual : readMultiplier(in, usual);
      in.expect(")");
      return new Range(base, cap, multiplier);
    }

    private static double readMultiplier(TextReader in, double usual) {
      if (!in.take(",")) {
        return usual;
      }
      in.skipSpaces();
      in.expect("x");
      int at = in.position();
      double multiplier = in.decimal("a growth such as x1.5");
      if (multiplier >= 1 && multiplier <= 1000) {
        return multiplier;
      }
      throw in.error(at, "a growth of 1 to 1000");
    }

    Backoff linear() {
      return new Linear(baseNanos, capNanos);
    }

    Backoff exponential(Jitter jitter) {
      return new Exponential(jitter, baseNanos, multiplier, capNanos);
    }

    Backoff decorrelated() {
      return new Decorrelated(baseNanos, multiplier, capNanos);
    }
  }

  private static String text(String name, long base, long cap, String growth) {
    return name + "(" + Durations.print(base) + ".." + Durations.print(cap) + growth + ")";
  }

  private static String growth(double multiplier, double usual) {
    if (multiplier == usual) {
      return "";
    }
    boolean whole = multiplier == Math.rint(multiplier);
    return ", x" + (whole ? Long.toString((long) multiplier) : Double.toString(multiplier));
  }

  record Fixed(long nanos) implements Backoff {
    @Override
    public long delayNanos(int retry, long previousNanos, RandomGenerator random) {
      return nanos;
    }

    @Override
    public String toString() {
      return nanos == 0 ? "none" : "fixed(" + Durations.print(nanos) + ")";
    }
  }

  record Linear(long base, long cap) implements Backoff {
    @Override
    public long delayNanos(int retry, long previousNanos, RandomGenerator random) {
      return retry > cap / base ? cap : base * retry;
    }

    @Override
    public String toString() {
      return text("linear", base, cap, "");
    }
  }

  enum Jitter {
    NONE("exponential"),
    FULL("full"),
    EQUAL("equal");

    private final String text;

    Jitter(String text) {
      this.text = text;
    }
  }

  static final class Exponential implements Backoff {
    private static final int TABLE = 64;

    private final Jitter jitter;
    private final long base;
    private final double multiplier;
    private final long cap;
    // Ceilings of the first retries: a power per call would cost more than the draw itself.
    private final long[] ceilings;

    Exponential(Jitter jitter, long base, double multiplier, long cap) {
      this.jitter = jitter;
      this.base = base;
      this.multiplier = multiplier;
      this.cap = cap;
      this.ceilings = new long[TABLE];
      for (int i = 0; i < TABLE; i++) {
        ceilings[i] = ceiling(i);
      }
    }

    // The comparison is done in doubles, where a product beyond the range of a long is still right.
    // Beyond 2^53 (104 days) the conversion to a double may round the base itself down.
    private long ceiling(int exponent) {
      double product = base * Math.pow(multiplier, exponent);
      return product >= cap ? cap : Math.max(base, (long) product);
    }

    @Override
    public long delayNanos(int retry, long previousNanos, RandomGenerator random) {
      int index = Math.max(retry, 1) - 1;
      long ceiling = index < TABLE ? ceilings[index] : ceiling(index);
      return switch (jitter) {
        case NONE -> ceiling;
        case FULL -> uniform(ceiling, random);
        case EQUAL -> ceiling - uniform(ceiling / 2, random);
      };
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Exponential that
          && jitter == that.jitter
          && base == that.base
          && multiplier == that.multiplier
          && cap == that.cap;
    }

    @Override
    public int hashCode() {
      return 31 * (31 * jitter.hashCode() + Long.hashCode(base)) + Long.hashCode(cap);
    }

    @Override
    public String toString() {
      return text(jitter.text, base, cap, growth(multiplier, 2));
    }
  }

  record Decorrelated(long base, double multiplier, long cap) implements Backoff {
    @Override
    public long delayNanos(int retry, long previousNanos, RandomGenerator random) {
      double widest = Math.max(previousNanos, base) * multiplier;
      long ceiling = widest >= cap ? cap : Math.max(base, (long) widest);
      return base + uniform(ceiling - base, random);
    }

    @Override
    public String toString() {
      return text("decorrelated", base, cap, growth(multiplier, 3));
    }
  }
}
