module app {
  requires dev.steadfast.retry.effects;
  requires dev.steadfast.retry.httpclient;
  requires dev.steadfast.retry.server;
  requires jdk.httpserver;
}
