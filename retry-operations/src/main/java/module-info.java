/**
 * Carries out journaled operations: each is claimed in a journal, sent, and noted. The journal that
 * is here guards one process; {@code retry-journal} keeps operations in a database.
 */
module dev.steadfast.retry.operations {
  requires transitive dev.steadfast.retry;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.steadfast.retry.operations;

  provides dev.steadfast.retry.http.journal.JournalService with
      dev.steadfast.retry.operations.JournaledOperations;
}
