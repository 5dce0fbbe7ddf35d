/** Virtual time for tests of code that uses Steadfast. */
module dev.steadfast.retry.testkit {
  requires transitive dev.steadfast.retry;
  requires static transitive org.jspecify;

  exports dev.steadfast.retry.testkit;
}
