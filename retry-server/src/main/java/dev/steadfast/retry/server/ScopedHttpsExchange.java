package dev.steadfast.retry.server;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpPrincipal;
import com.sun.net.httpserver.HttpsExchange;
import dev.steadfast.retry.scope.RetryScope;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * {@link ScopedExchange} over TLS: a class of its own, as handlers ask for the TLS session by a
 * cast.
 */
final class ScopedHttpsExchange extends HttpsExchange {
  private final HttpsExchange server;
  private final RetryScope scope;

  ScopedHttpsExchange(HttpsExchange server, RetryScope scope) {
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

  @Override
  public SSLSession getSSLSession() {
    return server.getSSLSession();
  }
}
