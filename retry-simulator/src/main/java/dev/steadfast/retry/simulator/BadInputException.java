package dev.steadfast.retry.simulator;

/**
 * The user typed something that cannot be simulated; the message is for the user and is one line.
 */
final class BadInputException extends RuntimeException {
  private static final long serialVersionUID = 1;

  BadInputException(String message) {
    super(message);
  }

  static BadInputException of(String name, String value, String expected) {
    return new BadInputException(name + ": " + value + " (expected: " + expected + ")");
  }
}
