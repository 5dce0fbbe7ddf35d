package dev.steadfast.retry.server;

import dev.steadfast.retry.scope.RetryScope;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;

/**
 * Adds what the scope knows to a failed response before it is committed: when its status is set,
 * when its body begins, or when the servlet has ended, at the first of these after the calls gave
 * up.
 */
final class ScopedResponse extends HttpServletResponseWrapper {
  private final RetryScope scope;

  ScopedResponse(HttpServletResponse response, RetryScope scope) {
    super(response);
    this.scope = scope;
  }

  void tell(int status) {
    if (status < 400 || isCommitted()) {
      return;
    }
    scope
        .responseHeaders()
        .forEach((name, value) -> {
          if (!containsHeader(name)) {
            setHeader(name, value);
          }
        });
  }

  @Override
  public void setStatus(int status) {
    super.setStatus(status);
    tell(status);
  }

  @Override
  public void sendError(int status) throws IOException {
    tell(status);
    super.sendError(status);
  }

  @Override
  public void sendError(int status, String message) throws IOException {
    tell(status);
    super.sendError(status, message);
  }

  @Override
  public ServletOutputStream getOutputStream() throws IOException {
    tell(getStatus());
    return super.getOutputStream();
  }

  @Override
  public PrintWriter getWriter() throws IOException {
    tell(getStatus());
    return super.getWriter();
  }

  @Override
  public void flushBuffer() throws IOException {
    tell(getStatus());
    super.flushBuffer();
  }
}
