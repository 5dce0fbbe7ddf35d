package dev.steadfast.retry.journal;

import org.jspecify.annotations.Nullable;

/**
 * The name of a wake-up. It shows no business key, because engines write the names of their tasks
 * into their logs.
 *
 * @param operation the number of the operation; of no meaning if it belongs to a sequence
 * @param sequence the sequence; null for none
 */
record WakeupName(long operation, @Nullable String sequence) {
  private static final String OPERATION = "operation ";
  private static final String SEQUENCE = "sequence ";

  static WakeupName parse(String text) {
    if (text.startsWith(SEQUENCE)) {
      return new WakeupName(0, text.substring(SEQUENCE.length()));
    }
    try {
      if (text.startsWith(OPERATION)) {
        return new WakeupName(Long.parseLong(text.substring(OPERATION.length())), null);
      }
    } catch (NumberFormatException refused) {
      // refused below
    }
    throw new IllegalArgumentException("wakeup: " + text + " (expected: one that a journal gave)");
  }

  @Override
  public String toString() {
    return sequence == null ? OPERATION + operation : SEQUENCE + sequence;
  }
}
