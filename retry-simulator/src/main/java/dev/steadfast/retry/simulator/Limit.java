package dev.steadfast.retry.simulator;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.limit.AdaptiveLimit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * An adaptive limit as it is written on the command line. The library's own class in all forms:
 * {@code throttle} is one whose limit is never reached, so that only its share is left.
 *
 * @param text its text
 * @param losses which failures count as losses; empty for the library's choice
 * @param perEndpoint whether each endpoint has a limit of its own
 * @param maker starts a builder
 */
record Limit(
    String text,
    List<FailureKind> losses,
    boolean perEndpoint,
    Supplier<AdaptiveLimit.Builder> maker) {
  private static final int UNREACHED = 1_000_000;
  private static final String FORMS =
      "none, default, limit(1,20,200), both(1,20,200) or throttle; each also as in default@endpoint";

  static final Limit DEFAULT = of("default", AdaptiveLimit::builder);
  static final Limit ALONE =
      of("limit(1,20,200)", () -> AdaptiveLimit.builder().holdsBackAtMinimum(false));
  static final Limit THROTTLE =
      of("throttle", () -> AdaptiveLimit.builder().maximum(UNREACHED).minimum(UNREACHED));

  private static Limit of(String text, Supplier<AdaptiveLimit.Builder> maker) {
    return new Limit(text, List.of(), false, maker);
  }

  static Optional<Limit> parse(String text) {
    if (text.equals("none")) {
      return Optional.empty();
    }
    String suffix = "@endpoint";
    boolean perEndpoint = text.endsWith(suffix);
    String form = perEndpoint ? text.substring(0, text.length() - suffix.length()) : text;
    Limit limit = read(Call.read(form, "--limit", FORMS));
    try {
      limit.maker().get().build();
    } catch (IllegalArgumentException refused) {
      throw new BadInputException("--limit: " + refused.getMessage());
    }
    return Optional.of(new Limit(text, List.of(), perEndpoint, limit.maker()));
  }

  private static Limit read(Call call) {
    switch (call.name()) {
      case "default" -> {
        call.expect(0);
        return DEFAULT;
      }
      case "throttle" -> {
        call.expect(0);
        return THROTTLE;
      }
      case "limit", "both" -> {
        call.expect(3);
        boolean both = call.name().equals("both");
        int minimum = call.whole(0);
        int initial = call.whole(1);
        int maximum = call.whole(2);
        return of(
            call.text(),
            () ->
                AdaptiveLimit.builder()
                    .minimum(minimum)
                    .initial(initial)
                    .maximum(maximum)
                    .holdsBackAtMinimum(both));
      }
      default -> throw call.bad();
    }
  }

  /** The kinds of failure that are written with commas, such as {@code timeout,unavailable}. */
  static List<FailureKind> kinds(String text) {
    return Stream.of(text.split(",", -1)).map(Limit::kind).toList();
  }

  private static FailureKind kind(String text) {
    for (FailureKind kind : FailureKind.values()) {
      if (kind != FailureKind.THROTTLED && name(kind).equals(text.trim())) {
        return kind;
      }
    }
    throw BadInputException.of(
        "--losses", text, "kinds of failure such as timeout, unavailable, refused-stream");
  }

  private static String name(FailureKind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Limit counting(List<FailureKind> kinds) {
    return new Limit(text, kinds, perEndpoint, maker);
  }

  Guard guard(Draws draws) {
    AdaptiveLimit.Builder builder = maker.get().random(draws.generator());
    if (!losses.isEmpty()) {
      builder.losses(losses.toArray(new FailureKind[0]));
    }
    if (perEndpoint) {
      builder.keyedBy(OperationInfo::label);
    }
    return builder.build();
  }

  @Override
  public String toString() {
    String counted =
        losses.isEmpty() ? "" : " counting " + losses.stream().map(Limit::name).toList();
    return text + counted;
  }
}
