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

  /** Its arguments as numbers, durations in nanoseconds. */
  double[] numbers(String wanted, int count) {
    if (!name.equals(wanted) || arguments.size() != count) {
      throw bad();
    }
    double[] numbers = new double[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = number(arguments.get(i).trim());
    }
    return numbers;
  }

  private double number(String argument) {
    if (argument.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
      return Double.parseDouble(argument);
    }
    double nanos = Durations.nanos(argument);
    if (nanos < 0) {
      throw bad();
    }
    return nanos;
  }
}
