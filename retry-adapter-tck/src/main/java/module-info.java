/**
 * A table of scenarios for authors of adapters to further HTTP clients, and a server that does what
 * a test says.
 */
module dev.steadfast.retry.tck {
  requires transitive dev.steadfast.retry;
  requires dev.steadfast.retry.operations;
  requires dev.steadfast.retry.testkit;
  requires static transitive org.jspecify;
  requires transitive org.junit.jupiter.api;

  exports dev.steadfast.retry.tck;
}
