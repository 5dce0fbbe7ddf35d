package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.TextReader;
import dev.steadfast.retry.internal.Uniform;
import java.time.Duration;
import java.util.function.LongSupplier;

/** The built-in strategies behind {@link Backoff}. */
final class Backoffs {
  // Why it is like this: docs/decisions/defaults.md
  static final Backoff NONE = new Fixed(0);

  private Backoffs() {}

  /** A strategy that is known by its text form: what has the same one is equal. */
  private abstract static class BuiltIn implements Backoff {
    private final String text;

    BuiltIn(String text) {
      this.text = text;
    }

    static String text(String name, long base, long cap) {
      return name + "(" + Durations.print(base) + ".." + Durations.print(cap) + ")";
    }

    /** The same with a growth, unless that is the usual one. */
    static String text(Range range, String name, double usual) {
      String plain = text(name, range.baseNanos, range.capNanos);
      double growth = range.multiplier;
      if (growth == usual) {
        return plain;
      }
      boolean whole = growth == Math.rint(growth);
      String number = whole ? Long.toString((long) growth) : Double.toString(growth);
      return plain.substring(0, plain.length() - 1) + ", x" + number + ")";
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof BuiltIn that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
      return text.hashCode();
    }

    @Override
    public String toString() {
      return text;
    }
  }

  static long base(Duration base) {
    return Durations.nanos(Checks.positive("base", base));
  }

  static long cap(Duration base, Duration cap) {
    if (Checks.notNull("cap", cap).compareTo(base) >= 0) {
      return Durations.nanos(cap);
    }
    throw Checks.bad("cap", cap, "at least the base, " + base);
  }

  static Range range(Duration base, double multiplier, Duration cap) {
    return new Range(base(base), cap(base, cap), Checks.within("multiplier", multiplier, 1, 1000));
  }

  static Backoff read(TextReader in) {
    int start = in.position();
    String name = in.letters();
    return switch (name) {
      case "none" -> NONE;
      case "fixed" -> readFixed(in);
      case "linear" -> Range.read(in, Double.NaN).linear();
      case "exponential" -> Jitter.NONE.of(Range.read(in, 2));
      case "full" -> Jitter.FULL.of(Range.read(in, 2));
      case "equal" -> Jitter.EQUAL.of(Range.read(in, 2));
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
  record Range(long baseNanos, long capNanos, double multiplier) {
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

    Backoff decorrelated() {
      return new Decorrelated(this);
    }
  }

  private static final class Fixed extends BuiltIn {
    private final long nanos;

    Fixed(long nanos) {
      super(nanos == 0 ? "none" : "fixed(" + Durations.print(nanos) + ")");
      this.nanos = nanos;
    }

    @Override
    public long delayNanos(int retry, long previousNanos, LongSupplier random) {
      return nanos;
    }
  }

  private static final class Linear extends BuiltIn {
    private final long base;
    private final long cap;

    Linear(long base, long cap) {
      super(text("linear", base, cap));
      this.base = base;
      this.cap = cap;
    }

    @Override
    public long delayNanos(int retry, long previousNanos, LongSupplier random) {
      return retry > cap / base ? cap : base * retry;
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

    Backoff of(Range range) {
      return new Exponential(range, this);
    }

    long draw(long ceiling, LongSupplier random) {
      if (this == FULL) {
        return Uniform.upTo(ceiling, random);
      }
      return this == NONE ? ceiling : ceiling - Uniform.below((ceiling >> 1) + 1, random);
    }
  }

  private static final class Exponential extends BuiltIn {
    private final ExponentialCeilings ceilings;
    private final Jitter jitter;

    Exponential(Range range, Jitter jitter) {
      super(text(range, jitter.text, 2));
      this.ceilings = new ExponentialCeilings(range.baseNanos, range.multiplier, range.capNanos);
      this.jitter = jitter;
    }

    @Override
    public long delayNanos(int retry, long previousNanos, LongSupplier random) {
      return jitter.draw(ceilings.of(retry), random);
    }
  }

  private static final class Decorrelated extends BuiltIn {
    private final long base;
    private final double multiplier;
    private final long cap;
    // A whole multiplier, such as the usual 3, is applied without a detour through doubles.
    private final long times; // 0 if it is not whole
    private final long most; // what may be multiplied without passing the cap

    Decorrelated(Range range) {
      super(text(range, "decorrelated", 3));
      this.base = range.baseNanos;
      this.multiplier = range.multiplier;
      this.cap = range.capNanos;
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
  }

  static Backoff fixed(Duration delay) {
    return new Fixed(Durations.nanos(Checks.notNegative("delay", delay)));
  }
}
