module app {
  requires dev.steadfast.retry.apache5;
  requires dev.steadfast.retry.effects;
  requires dev.steadfast.retry.httpclient;
  requires dev.steadfast.retry.jfr;
  requires dev.steadfast.retry.micrometer;
  requires dev.steadfast.retry.okhttp;
  requires dev.steadfast.retry.opentelemetry;
  requires dev.steadfast.retry.resilience4j;
  requires dev.steadfast.retry.server;
  requires dev.steadfast.retry.spring;
  requires dev.steadfast.retry.testkit;
  requires jakarta.servlet;
  requires jdk.httpserver;
  requires jdk.jfr;
  requires org.apache.commons.logging; // Spring needs it and is no explicit module
}
