/** Meters of operations, attempts, waits and budgets in a Micrometer registry. */
module dev.steadfast.retry.micrometer {
  requires transitive dev.steadfast.retry;
  requires transitive micrometer.core;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.steadfast.retry.micrometer;
}
