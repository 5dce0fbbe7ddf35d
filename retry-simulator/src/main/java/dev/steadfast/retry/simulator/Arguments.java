package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The words that the user typed after the scenario's name. Immutable. */
final class Arguments {
  private final Map<String, String> values;
  private final Set<String> given;
  private final List<Own> policies;

  /** A policy that the user typed. */
  record Own(String name, RetryPolicy policy) {}

  private Arguments(Map<String, String> values, Set<String> given, List<Own> policies) {
    this.values = values;
    this.given = given;
    this.policies = policies;
  }

  /**
   * Reads {@code --name value} pairs. Only known names are accepted, each at most once, except for
   * policies.
   */
  static Arguments parse(List<String> words, List<Option> offered) {
    Map<String, String> values = new HashMap<>();
    offered.forEach(option -> values.put(option.name(), option.fallback()));
    Map<String, String> given = new HashMap<>();
    List<Own> policies = new ArrayList<>();
    for (int i = 0; i < words.size(); i += 2) {
      String name = words.get(i).startsWith("--") ? words.get(i).substring(2) : "";
      if (!values.containsKey(name)) {
        throw BadInputException.of("option", "\"" + words.get(i) + "\"", names(offered));
      }
      if (i + 1 == words.size() || words.get(i + 1).isBlank()) {
        throw BadInputException.of("--" + name, "nothing", "a value");
      }
      if (name.equals(Option.POLICY_NAME)) {
        policies.add(new Own("policy-" + (policies.size() + 1), policy(words.get(i + 1))));
      } else if (given.put(name, words.get(i + 1)) != null) {
        throw BadInputException.of("--" + name, "given twice", "once");
      }
    }
    if (policies.size() > Option.MOST_POLICIES) {
      throw BadInputException.of(
          "--policy", "given " + policies.size() + " times", "at most " + Option.MOST_POLICIES);
    }
    values.putAll(given);
    return new Arguments(values, given.keySet(), policies);
  }

  private static String names(List<Option> offered) {
    return offered.stream().map(option -> "--" + option.name()).collect(Collectors.joining(", "));
  }

  boolean offers(String name) {
    return values.containsKey(name);
  }

  boolean has(String name) {
    return !text(name).isEmpty();
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalStateException("not an option of this scenario: " + name);
    }
    return value;
  }

  int integer(String name, int minimum, int maximum) {
    return integer(name, text(name), minimum, maximum);
  }

  int[] integers(String name, int minimum, int maximum) {
    return List.of(text(name).split(",", -1)).stream()
        .mapToInt(each -> integer(name, each.trim(), minimum, maximum))
        .toArray();
  }

  private static int integer(String name, String value, int minimum, int maximum) {
    if (value.matches("-?[0-9]{1,9}")) {
      int number = Integer.parseInt(value);
      if (number >= minimum && number <= maximum) {
        return number;
      }
    }
    throw BadInputException.of("--" + name, value, minimum + " to " + maximum);
  }

  long seed() {
    String value = text("seed");
    if (value.matches("-?[0-9]{1,18}")) {
      return Long.parseLong(value);
    }
    throw BadInputException.of("--seed", value, "a whole number of at most 18 digits");
  }

  double decimal(String name, double minimum, double maximum) {
    String value = text(name);
    if (value.matches("-?[0-9]{1,9}(\\.[0-9]{1,9})?")) {
      double number = Double.parseDouble(value);
      if (number >= minimum && number <= maximum) {
        return number;
      }
    }
    String range = Numbers.plain(minimum, 4) + " to " + Numbers.plain(maximum, 4);
    throw BadInputException.of("--" + name, value, range);
  }

  /** Nanoseconds. */
  long duration(String name, long minimum, long maximum) {
    double nanos = Durations.nanos(text(name));
    if (nanos >= minimum && nanos <= maximum) {
      return (long) nanos;
    }
    String range = Durations.print(minimum) + " to " + Durations.print(maximum);
    throw BadInputException.of("--" + name, text(name), range);
  }

  /** Options with their values, for a message about all of them. */
  String typed(String... names) {
    return Stream.of(names)
        .filter(this::has)
        .map(name -> "--" + name + " " + text(name))
        .collect(Collectors.joining(", "));
  }

  /** The policies that were typed, in their order. */
  List<Own> policies() {
    return policies;
  }

  /** Refuses an option that was given where it means nothing. */
  void only(String name, boolean means, String where) {
    if (given.contains(name) && !means) {
      throw BadInputException.of("--" + name, text(name), "only with " + where);
    }
  }

  private static RetryPolicy policy(String text) {
    if (text.matches("(?s).*\\p{Cntrl}.*")) {
      throw BadInputException.of("--policy", text, "one line");
    }
    try {
      return RetryPolicy.valueOf(text);
    } catch (IllegalArgumentException unreadable) {
      // Its first line; the others point into the text.
      String message = String.valueOf(unreadable.getMessage());
      throw new BadInputException("--policy: " + message.lines().findFirst().orElse(""));
    }
  }
}
