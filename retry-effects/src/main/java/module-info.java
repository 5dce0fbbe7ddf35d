/**
 * Optimistic locking and one-time tokens. An application has the adapter of the client that it
 * uses.
 */
module dev.steadfast.retry.effects {
  requires transitive dev.steadfast.retry;
  requires static dev.steadfast.retry.httpclient;
  requires static dev.steadfast.retry.okhttp;
  requires static java.net.http;
  requires static kotlin.stdlib;
  requires static okhttp3;
  requires static transitive org.jspecify;

  exports dev.steadfast.retry.effects;
}
