/** Keeps operations in PostgreSQL, so that they survive the process that began them. */
module dev.steadfast.retry.journal {
  requires transitive dev.steadfast.retry.operations;
  requires transitive java.sql;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.steadfast.retry.journal;
}
