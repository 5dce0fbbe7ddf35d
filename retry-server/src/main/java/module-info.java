/**
 * Filters that open a retry scope for each inbound request. An application needs one of the two
 * APIs.
 */
module dev.steadfast.retry.server {
  requires transitive dev.steadfast.retry;
  requires static transitive jakarta.servlet;
  requires static transitive jdk.httpserver;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.steadfast.retry.server;
}
