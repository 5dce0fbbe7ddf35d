package dev.steadfast.retry.journal.cli;

/** The command cannot be understood. */
final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }

  /** A value that is out of its range. */
  static UsageException bad(String name, String value, String expected) {
    return new UsageException(name + ": " + value + " (expected: " + expected + ")");
  }
}
