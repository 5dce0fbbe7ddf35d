/** Retrying HTTP clients in Spring Boot 4, configured by properties. */
@SuppressWarnings("requires-automatic") // HttpClient 5 has no descriptor
module dev.steadfast.retry.spring.boot {
  requires transitive dev.steadfast.retry;
  requires static dev.steadfast.retry.apache5;
  requires transitive dev.steadfast.retry.httpclient;
  requires static transitive dev.steadfast.retry.journal;
  requires static dev.steadfast.retry.micrometer;
  requires static transitive dev.steadfast.retry.okhttp;
  requires static dev.steadfast.retry.resilience4j;
  requires dev.steadfast.retry.server;
  requires dev.steadfast.retry.spring;
  requires static io.github.resilience4j.circuitbreaker;
  requires static jakarta.servlet;
  requires java.net.http;
  requires static kotlin.stdlib;
  requires static context.propagation;
  requires static micrometer.core;
  requires static okhttp3;
  requires static org.apache.httpcomponents.client5.httpclient5;
  requires static transitive org.jspecify;
  requires org.slf4j;
  requires spring.beans;
  requires spring.boot;
  requires static spring.boot.actuator;
  requires static spring.boot.actuator.autoconfigure;
  requires spring.boot.autoconfigure;
  requires static spring.boot.health;
  requires spring.boot.http.client;
  requires spring.boot.restclient;
  requires static spring.boot.webclient;
  requires spring.context;
  requires spring.core;
  requires static spring.jdbc;
  requires static spring.tx;
  requires transitive spring.web;
  requires static transitive spring.webflux;

  exports dev.steadfast.retry.spring.boot;

  opens dev.steadfast.retry.spring.boot; // to Spring, which is no explicit module
}
