package dev.steadfast.retry;

import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.TextReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** The text form of a {@link RetryPolicy}. */
final class PolicyText {
  private static final String BY_KIND = "backoff.";
  private static final List<String> NAMES =
      List.of(
          "maxAttempts",
          "backoff",
          "totalTimeout",
          "attemptTimeout",
          "bodyIdleTimeout",
          "minimumAttempt",
          "maxServerDelay",
          "aboveCeiling",
          "serverDelaySpread");

  // The names stand in the order of the enum.
  private static final Map<String, FailureKind> KINDS = new LinkedHashMap<>();

  static {
    for (FailureKind kind : FailureKind.values()) {
      KINDS.put(print(kind), kind);
    }
  }

  private PolicyText() {}

  static String print(RetryPolicy policy) {
    StringJoiner text = new StringJoiner("; ");
    text.add("maxAttempts=" + policy.maxAttempts()).add("backoff=" + policy.backoff());
    policy.backoffByKind().forEach((kind, each) -> text.add(BY_KIND + print(kind) + "=" + each));
    return text.add("totalTimeout=" + policy.totalTimeout().map(Durations::print).orElse("none"))
        .add("attemptTimeout=" + printList(policy.attemptTimeouts()))
        .add("bodyIdleTimeout=" + policy.bodyIdleTimeout().map(Durations::print).orElse("none"))
        .add("minimumAttempt=" + Durations.print(policy.minimumAttempt()))
        .add("maxServerDelay=" + Durations.print(policy.maxServerDelay()))
        .add("aboveCeiling=" + print(policy.aboveCeiling()))
        .add("serverDelaySpread=" + policy.serverDelaySpread())
        .toString();
  }

  private static String print(FailureKind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String printList(List<Duration> durations) {
    if (durations.isEmpty()) {
      return "none";
    }
    StringJoiner list = new StringJoiner(",");
    for (Duration each : durations) {
      list.add(Durations.print(each));
    }
    return list.toString();
  }

  private static String print(RetryPolicy.AboveCeiling choice) {
    return choice == RetryPolicy.AboveCeiling.CLAMP ? "clamp" : "give-up";
  }

  static RetryPolicy parse(String text) {
    TextReader in = new TextReader(text);
    RetryPolicy.Builder builder = RetryPolicy.builder();
    Map<String, Integer> valuesAt = new HashMap<>();
    in.skipSpaces();
    while (!in.atEnd()) {
      int nameAt = in.position();
      String name = readName(in);
      if (valuesAt.containsKey(name)) {
        throw in.error(nameAt, "each name once, " + name + " came before");
      }
      in.expect("=");
      int valueAt = in.position();
      valuesAt.put(name, valueAt);
      try {
        readValue(in, name, nameAt, builder);
      } catch (IllegalArgumentException e) {
        throw pointed(e) ? e : in.bad(valueAt, String.valueOf(e.getMessage()));
      }
      in.skipSpaces();
      if (!in.atEnd()) {
        in.expect(";");
        in.skipSpaces();
      }
    }
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      // Only one rule compares two values, and the defaults keep it, so one of the two was given.
      int ruledAt =
          valuesAt.getOrDefault("minimumAttempt", valuesAt.getOrDefault("totalTimeout", 0));
      throw in.bad(ruledAt, String.valueOf(e.getMessage()));
    }
  }

  private static String readName(TextReader in) {
    int at = in.position();
    String name = hyphenated(in);
    if (!NAMES.contains(name)) {
      refuseSpelling(in, at, name);
    }
    if (!name.equals("backoff") || !in.take(".")) {
      return name;
    }
    int kindAt = in.position();
    String kind = hyphenated(in);
    if (KINDS.containsKey(kind)) {
      return BY_KIND + kind;
    }
    throw in.error(kindAt, "one of " + String.join(", ", KINDS.keySet()));
  }

  private static void refuseSpelling(TextReader in, int at, String name) {
    for (String known : NAMES) {
      if (plain(known).equals(plain(name))) {
        throw in.bad(at, name + " (expected: " + known + ")");
      }
    }
  }

  private static String hyphenated(TextReader in) {
    StringBuilder name = new StringBuilder(in.letters());
    while (true) {
      if (in.take("-")) {
        name.append('-');
      } else if (in.take("_")) {
        name.append('_');
      } else {
        return name.toString();
      }
      name.append(in.letters());
    }
  }

  /** A name without hyphens, underscores and capitals. */
  private static String plain(String name) {
    return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
  }

  // Whether the message has a position. A range check of the builder knows none.
  private static boolean pointed(IllegalArgumentException e) {
    return String.valueOf(e.getMessage()).startsWith("character ");
  }

  private static void readValue(
      TextReader in, String name, int nameAt, RetryPolicy.Builder builder) {
    FailureKind kind =
        name.startsWith(BY_KIND) ? KINDS.get(name.substring(BY_KIND.length())) : null;
    if (kind != null) {
      builder.backoff(kind, Backoffs.read(in));
      return;
    }
    switch (name) {
      case "maxAttempts" -> {
        int at = in.position();
        long number = in.digits("a number of attempts");
        if (number > Integer.MAX_VALUE) {
          throw in.error(at, "at most " + Integer.MAX_VALUE + " attempts");
        }
        builder.maxAttempts((int) number);
      }
      case "backoff" -> builder.backoff(Backoffs.read(in));
      case "totalTimeout" -> {
        if (in.take("none")) {
          builder.noTotalTimeout();
        } else {
          builder.totalTimeout(duration(in));
        }
      }
      case "attemptTimeout" -> {
        if (in.take("none")) {
          builder.noAttemptTimeout();
        } else {
          builder.attemptTimeouts(durations(in));
        }
      }
      case "bodyIdleTimeout" -> {
        if (in.take("none")) {
          builder.noBodyIdleTimeout();
        } else {
          builder.bodyIdleTimeout(duration(in));
        }
      }
      case "minimumAttempt" -> builder.minimumAttempt(duration(in));
      case "maxServerDelay" -> builder.maxServerDelay(duration(in));
      case "aboveCeiling" -> builder.aboveCeiling(aboveCeiling(in));
      case "serverDelaySpread" -> builder.serverDelaySpread(in.decimal("a share such as 1.0"));
      default -> {
        int last = NAMES.size() - 1;
        String names = String.join(", ", NAMES.subList(0, last)) + " or " + NAMES.get(last);
        throw in.error(nameAt, names);
      }
    }
  }

  private static Duration duration(TextReader in) {
    return Duration.ofNanos(Durations.read(in));
  }

  private static List<Duration> durations(TextReader in) {
    List<Duration> list = new ArrayList<>();
    do {
      in.skipSpaces();
      list.add(duration(in));
    } while (in.take(","));
    return list;
  }

  private static RetryPolicy.AboveCeiling aboveCeiling(TextReader in) {
    if (in.take("give-up")) {
      return RetryPolicy.AboveCeiling.GIVE_UP;
    }
    if (in.take("clamp")) {
      return RetryPolicy.AboveCeiling.CLAMP;
    }
    throw in.error(in.position(), "give-up or clamp");
  }
}
