/**
 * A table of scenarios for whoever lets the retries of Steadfast use one more HTTP client, and a
 * server that does what a test says.
 */
module dev.steadfast.retry.tck {
  requires transitive dev.steadfast.retry;
  requires dev.steadfast.retry.operations;
  requires dev.steadfast.retry.testkit;
  requires static transitive org.jspecify;
  requires transitive org.junit.jupiter.api;

  exports dev.steadfast.retry.tck;
}
