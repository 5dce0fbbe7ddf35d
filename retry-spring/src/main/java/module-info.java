/** Request factories for Spring's RestClient and RestTemplate whose requests are retried. */
@SuppressWarnings({
  "module",
  "requires-automatic",
  "requires-transitive-automatic"
}) // HttpClient 5 has no descriptor
module dev.steadfast.retry.spring {
  requires transitive dev.steadfast.retry;
  requires static transitive dev.steadfast.retry.apache5;
  requires static transitive dev.steadfast.retry.httpclient;
  requires static transitive dev.steadfast.retry.okhttp;
  requires static java.net.http;
  requires static kotlin.stdlib;
  requires static okhttp3;
  requires static okio;
  requires static transitive org.apache.httpcomponents.client5.httpclient5;
  requires static org.apache.httpcomponents.core5.httpcore5;
  requires static transitive org.jspecify;
  requires spring.core;
  requires transitive spring.web;

  exports dev.steadfast.retry.spring;
}
