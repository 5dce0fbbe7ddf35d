package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.TextReader;
import dev.steadfast.retry.internal.Uniform;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The built-in strategies behind {@link Backoff}.
 *
 * <p>Their {@code equals} and {@code hashCode} are written out, as they run in operations: the
 * JDK's cache for the generated methods of a record keeps the record's class loader, so an
 * application that was undeployed would stay in memory.
 */
final class Backoffs {
  // Why it is like this: docs/decisions/defaults.md
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

  static ExponentialCeilings ceilings(Duration base, double multiplier, Duration cap) {
    return new ExponentialCeilings(base(base), multiplier(multiplier), cap(base, cap));
  }

  static Backoff read(TextReader in) {
    int start = in.position();
    String name = in.letters();
    return switch (name) {
      case "none" -> NONE;
      case "fixed" -> readFixed(in);
      case "linear" -> Range.read(in, Double.NaN).linear();
      case "exponential" -> Jitter.NONE.of(Range.read(in, 2).ceilings());
      case "full" -> Jitter.FULL.of(Range.read(in, 2).ceilings());
      case "equal" -> Jitter.EQUAL.of(Range.read(in, 2).ceilings());
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

  /** The content of the brackets of a text form: base, cap, and a growth where one is allowed. */
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

    ExponentialCeilings ceilings() {
      return new ExponentialCeilings(baseNanos, multiplier, capNanos);
    }

    Backoff decorrelated() {
      return new Decorrelated(baseNanos, multiplier, capNanos);
    }
  }

  record Fixed(long nanos) implements Backoff {
    @Override
    public long delayNanos(int retry, long previousNanos, LongSupplier random) {
      return nanos;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Fixed that && nanos == that.nanos;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(nanos);
    }

    @Override
    public String toString() {
      return nanos == 0 ? "none" : "fixed(" + Durations.print(nanos) + ")";
    }
  }

  record Linear(long base, long cap) implements Backoff {
    @Override
    public long delayNanos(int retry, long previousNanos, LongSupplier random) {
      return retry > cap / base ? cap : base * retry;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Linear that && base == that.base && cap == that.cap;
    }

    @Override
    public int hashCode() {
      return 31 * Long.hashCode(base) + Long.hashCode(cap);
    }

    @Override
    public String toString() {
      return BackoffText.of("linear", base, cap, "");
    }
  }

  /** How a delay is drawn from its ceiling. */
  enum Jitter {
    NONE("exponential"),
    FULL("full"),
    EQUAL("equal");

    private final String text;

    Jitter(String text) {
      this.text = text;
    }

    Backoff of(ExponentialCeilings ceilings) {
      return new Exponential(ceilings, this);
    }

    long draw(long ceiling, LongSupplier random) {
      if (this == FULL) {
        return Uniform.upTo(ceiling, random);
      }
      return this == NONE ? ceiling : ceiling - Uniform.below((ceiling >> 1) + 1, random);
    }
  }

  record Exponential(ExponentialCeilings ceilings, Jitter jitter) implements Backoff {
    @Override
    public long delayNanos(int retry, long previousNanos, LongSupplier random) {
      return jitter.draw(ceilings.of(retry), random);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Exponential that
          && jitter == that.jitter
          && ceilings.equals(that.ceilings);
    }

    @Override
    public int hashCode() {
      return 31 * ceilings.hashCode() + jitter.text.hashCode();
    }

    @Override
    public String toString() {
      return ceilings.text(jitter.text);
    }
  }

  static final class Decorrelated implements Backoff {
    private final long base;
    private final double multiplier;
    private final long cap;
    // A whole multiplier, such as the usual 3, is applied without a detour through doubles.
    private final long times; // 0 if it is not whole
    private final long most; // what may be multiplied without passing the cap

    Decorrelated(long base, double multiplier, long cap) {
      this.base = base;
      this.multiplier = multiplier;
      this.cap = cap;
      this.times = multiplier == Math.rint(multiplier) ? (long) multiplier : 0;
      this.most = times == 0 ? 0 : cap / times;
    }

    @Override
    public long delayNanos(int retry, long previousNanos, LongSupplier random) {
      return base + Uniform.below(ceiling(Math.max(previousNanos, base)) - base + 1, random);
    }

    private long ceiling(long previous) {
      if (times == 0) {
        double widest = previous * multiplier;
        return widest >= cap ? cap : Math.max(base, (long) widest);
      }
      return previous > most ? cap : previous * times;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Decorrelated that
          && base == that.base
          && multiplier == that.multiplier
          && cap == that.cap;
    }

    @Override
    public int hashCode() {
      return 31 * Long.hashCode(base) + Long.hashCode(cap);
    }

    @Override
    public String toString() {
      return BackoffText.of("decorrelated", base, cap, BackoffText.growth(multiplier, 3));
    }
  }
}
