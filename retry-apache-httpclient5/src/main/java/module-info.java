/** Retries for Apache HttpClient 5. */
@SuppressWarnings({
  "module",
  "requires-automatic",
  "requires-transitive-automatic"
}) // HttpClient 5 has no descriptor
module dev.steadfast.retry.apache5 {
  requires transitive dev.steadfast.retry;
  requires transitive org.apache.httpcomponents.client5.httpclient5;
  requires transitive org.apache.httpcomponents.core5.httpcore5;
  requires static transitive org.jspecify;
  requires org.apache.httpcomponents.core5.httpcore5.h2;
  requires org.slf4j;
  // HttpClient 5.6 needs this module for socket options, but has no descriptor that requires it.
  requires jdk.net;

  exports dev.steadfast.retry.apache5;
}
