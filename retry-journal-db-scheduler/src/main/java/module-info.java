/** Delivers the operations of a journal in the background, by tasks of db-scheduler. */
module dev.steadfast.retry.journal.dbscheduler {
  requires transitive dev.steadfast.retry.journal;
  requires transitive com.github.kagkarlsson.scheduler;
  requires static transitive org.jspecify;

  exports dev.steadfast.retry.journal.dbscheduler;
}
