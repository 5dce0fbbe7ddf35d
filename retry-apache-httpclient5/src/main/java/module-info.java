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
  requires org.slf4j;
  // HttpClient uses it for the options of sockets and does not name it.
  requires jdk.net;

  exports dev.steadfast.retry.apache5;
}
