/** Delivers the operations of a journal in the background, by tasks of db-scheduler. */
@org.jspecify.annotations.NullMarked
package dev.steadfast.retry.journal.dbscheduler;
