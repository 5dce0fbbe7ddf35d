package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.TextReader;
import dev.steadfast.retry.internal.Uniform;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/** The built-in strategies behind {@link Backoff}. */
final class Backoffs {
  // Why it is like this: docs/decisions/defaults.md
  static final Backoff NONE = fixed(0);

  private Backoffs() {}

  /** The kinds of strategies, each with its default multiplier. */
  enum Kind {
    FIXED(1),
    LINEAR(1),
    EXPONENTIAL(2),
    FULL(2),
    EQUAL(2),
    DECORRELATED(3);

    private final double usualGrowth;

    Kind(double usualGrowth) {
      this.usualGrowth = usualGrowth;
    }

    Backoff of(Range range) {
      return new Strategy(this, range);
    }

    String text(Range range) {
      String name = name().toLowerCase(Locale.ROOT);
      String base = Durations.print(range.baseNanos);
      if (this == FIXED) {
        return range.baseNanos == 0 ? "none" : name + "(" + base + ")";
      }
      double growth = range.multiplier;
      boolean whole = growth == Math.rint(growth);
      String number = whole ? Long.toString((long) growth) : Double.toString(growth);
      String unusual = growth == usualGrowth ? "" : ", x" + number;
      return name + "(" + base + ".." + Durations.print(range.capNanos) + unusual + ")";
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
      case "linear" -> Kind.LINEAR.of(Range.read(in, Kind.LINEAR));
      case "exponential" -> Kind.EXPONENTIAL.of(Range.read(in, Kind.EXPONENTIAL));
      case "full" -> Kind.FULL.of(Range.read(in, Kind.FULL));
      case "equal" -> Kind.EQUAL.of(Range.read(in, Kind.EQUAL));
      case "decorrelated" -> Kind.DECORRELATED.of(Range.read(in, Kind.DECORRELATED));
      default ->
          throw in.error(start, "none, fixed, linear, exponential, full, equal or decorrelated");
    };
  }

  private static Backoff readFixed(TextReader in) {
    in.expect("(");
    long delay = Durations.read(in);
    in.expect(")");
    return fixed(delay);
  }

  /** The parameters of a strategy; a fixed one has its delay as base and as cap. */
  record Range(long baseNanos, long capNanos, double multiplier) {
    static Range read(TextReader in, Kind kind) {
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
      double usual = kind.usualGrowth;
      double multiplier = usual == 1 ? usual : readMultiplier(in, usual);
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
  }

  static Backoff fixed(long nanos) {
    return Kind.FIXED.of(new Range(nanos, nanos, 1));
  }

  /** A strategy. Two strategies with the same text form are equal. */
  private static final class Strategy implements Backoff {
    private final Kind kind;
    private final long base;
    private final double multiplier;
    private final long cap;
    private final ExponentialCeilings ceilings;
    // A whole multiplier, such as the usual 3, is applied without a detour through doubles.
    private final long times; // 0 if it is not whole
    private final long most; // the largest delay that may be multiplied without passing the cap
    private final String text;

    Strategy(Kind kind, Range range) {
      this.kind = kind;
      this.base = range.baseNanos;
      this.multiplier = range.multiplier;
      this.cap = range.capNanos;
      this.ceilings = new ExponentialCeilings(base, multiplier, cap);
      this.times = multiplier == Math.rint(multiplier) ? (long) multiplier : 0;
      this.most = times == 0 ? 0 : cap / times;
      this.text = kind.text(range);
    }

    @Override
    public long delayNanos(int retry, long previousNanos, LongSupplier random) {
      return switch (kind) {
        case FIXED -> base;
        case LINEAR -> retry > cap / base ? cap : base * retry;
        case EXPONENTIAL -> ceilings.of(retry);
        case FULL -> Uniform.upTo(ceilings.of(retry), random);
        case EQUAL -> equal(ceilings.of(retry), random);
        case DECORRELATED ->
            base + Uniform.below(next(Math.max(previousNanos, base)) - base + 1, random);
      };
    }

    private static long equal(long ceiling, LongSupplier random) {
      return ceiling - Uniform.below((ceiling >> 1) + 1, random);
    }

    private long next(long previous) {
      if (times == 0) {
        double widest = previous * multiplier;
        return widest >= cap ? cap : Math.max(base, (long) widest);
      }
      return previous > most ? cap : previous * times;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Strategy that && text.equals(that.text);
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
}
