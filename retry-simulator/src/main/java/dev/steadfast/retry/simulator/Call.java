package dev.steadfast.retry.simulator;

import java.util.List;

/** A text such as {@code name(1,2s)}: how budgets and breakers are written on the command line. */
record Call(String name, List<String> arguments, String option, String text, String expected) {

  static Call read(String text, String option, String expected) {
    int open = text.indexOf('(');
    if (open < 0) {
      return new Call(text, List.of(), option, text, expected);
    }
    if (!text.endsWith(")")) {
      throw BadInputException.of(option, text, expected);
    }
    List<String> arguments = List.of(text.substring(open + 1, text.length() - 1).split(",", -1));
    return new Call(text.substring(0, open), arguments, option, text, expected);
  }

  BadInputException bad() {
    return BadInputException.of(option, text, expected);
  }

  /** Refuses it if it has more or fewer arguments. */
  void expect(int count) {
    if (arguments.size() != count) {
      throw bad();
    }
  }

  /** An argument without a fraction. */
  int whole(int place) {
    return Integer.parseInt(matching(place, "[0-9]{1,9}"));
  }

  double decimal(int place) {
    return Double.parseDouble(matching(place, "[0-9]{1,9}(\\.[0-9]{1,9})?"));
  }

  /** A duration, in nanoseconds. */
  long nanos(int place) {
    double nanos = Durations.nanos(argument(place));
    if (nanos < 0) {
      throw bad();
    }
    return (long) nanos;
  }

  private String matching(int place, String pattern) {
    if (argument(place).matches(pattern)) {
      return argument(place);
    }
    throw bad();
  }

  private String argument(int place) {
    return arguments.get(place).trim();
  }
}
