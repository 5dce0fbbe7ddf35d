/** Request factories for Spring's RestClient and RestTemplate whose requests are retried. */
module dev.steadfast.retry.spring {
  requires transitive dev.steadfast.retry;
  requires static transitive dev.steadfast.retry.httpclient;
  requires static transitive dev.steadfast.retry.okhttp;
  requires static java.net.http;
  requires static kotlin.stdlib;
  requires static okhttp3;
  requires static okio;
  requires static transitive org.jspecify;
  requires spring.core;
  requires transitive spring.web;

  exports dev.steadfast.retry.spring;
}
