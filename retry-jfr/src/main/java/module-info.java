/** Operations, attempts and waits as events of the JDK Flight Recorder. */
module dev.steadfast.retry.jfr {
  requires transitive dev.steadfast.retry;
  requires jdk.jfr;
  requires static transitive org.jspecify;

  exports dev.steadfast.retry.jfr;
}
