package dev.steadfast.retry.engine;

/**
 * Adds exceptions to others, a bounded number each: one exception may be thrown again and again.
 */
final class SuppressedExceptions {
  private static final int MOST_ON_ONE = 32;

  private SuppressedExceptions() {}

  /** Adds what else went wrong, where that is another exception and there is room for it. */
  static void add(Throwable failure, Throwable other) {
    // The same one twice happens where the user's code throws one that was made in advance.
    if (!failure.equals(other) && failure.getSuppressed().length < MOST_ON_ONE) {
      failure.addSuppressed(other);
    }
  }
}
