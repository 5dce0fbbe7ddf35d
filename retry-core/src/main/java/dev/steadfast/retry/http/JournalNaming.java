package dev.steadfast.retry.http;

import org.jspecify.annotations.Nullable;

/**
 * What the options of an operation say of the journal.
 *
 * @param name what is done
 * @param key the business key
 * @param fingerprint tells two requests apart in place of the body; null for the body
 * @param waits whether to wait where somebody else works on it
 * @param resumed the operation as a journal has it, if another call began it; null otherwise
 */
record JournalNaming(
    String name,
    String key,
    @Nullable String fingerprint,
    boolean waits,
    @Nullable Resumed resumed) {

  /**
   * An operation that another call or process began.
   *
   * @param journal the journal that has it
   * @param intent the operation
   */
  record Resumed(OperationJournal journal, OperationJournal.Intent intent) {}

  /** The name alone: the key may be a secret. */
  @Override
  public String toString() {
    return name;
  }
}
