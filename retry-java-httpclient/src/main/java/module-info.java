/** Retries for the JDK's HTTP client. */
module dev.steadfast.retry.httpclient {
  requires transitive dev.steadfast.retry;
  requires transitive java.net.http;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.steadfast.retry.httpclient;
}
