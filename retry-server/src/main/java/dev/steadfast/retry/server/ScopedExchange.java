package dev.steadfast.retry.server;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import dev.steadfast.retry.scope.RetryScope;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * An exchange that adds what the scope knows to a failed response. Everything else is the server's
 * own.
 */
final class ScopedExchange extends HttpExchange {
  private final HttpExchange server;
  private final RetryScope scope;

  ScopedExchange(HttpExchange server, RetryScope scope) {
    this.server = server;
    this.scope = scope;
  }

  @Override
  public Headers getRequestHeaders() {
    return server.getRequestHeaders();
  }

  @Override
  public Headers getResponseHeaders() {
    return server.getResponseHeaders();
  }

  @Override
  public URI getRequestURI() {
    return server.getRequestURI();
  }

  @Override
  public String getRequestMethod() {
    return server.getRequestMethod();
  }

  @Override
  public HttpContext getHttpContext() {
    return server.getHttpContext();
  }

  @Override
  public void close() {
    server.close();
  }

  @Override
  public InputStream getRequestBody() {
    return server.getRequestBody();
  }

  @Override
  public OutputStream getResponseBody() {
    return server.getResponseBody();
  }

  @Override
  public void sendResponseHeaders(int status, long length) throws IOException {
    ExchangeScope.tell(status, scope, server.getResponseHeaders());
    server.sendResponseHeaders(status, length);
  }

  @Override
  public InetSocketAddress getRemoteAddress() {
    return server.getRemoteAddress();
  }

  @Override
  public int getResponseCode() {
    return server.getResponseCode();
  }

  @Override
  public InetSocketAddress getLocalAddress() {
    return server.getLocalAddress();
  }

  @Override
  public String getProtocol() {
    return server.getProtocol();
  }

  @Override
  public Object getAttribute(String name) {
    return server.getAttribute(name);
  }

  @Override
  public void setAttribute(String name, @Nullable Object value) {
    server.setAttribute(name, value);
  }

  @Override
  public void setStreams(@Nullable InputStream in, @Nullable OutputStream out) {
    server.setStreams(in, out);
  }

  @Override
  public @Nullable HttpPrincipal getPrincipal() {
    return server.getPrincipal();
  }
}
