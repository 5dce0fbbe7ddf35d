package dev.steadfast.retry.server;

import dev.steadfast.retry.scope.RetryScope;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;

/**
 * Adds what the scope knows to a failed response before it is committed: when its body begins, and
 * when the servlet is done, whichever comes after the calls gave up. A header cannot be taken back,
 * and another status may follow the first. So setting a status adds nothing, unless there may be no
 * later moment: the body has begun, or another thread completes the response.
 */
final class ScopedResponse extends HttpServletResponseWrapper {
  private final ServletRequest request;
  private final RetryScope scope;
  private volatile boolean bodyBegun;

  ScopedResponse(ServletRequest request, HttpServletResponse response, RetryScope scope) {
    super(response);
    this.request = request;
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
    if (bodyBegun || request.isAsyncStarted()) {
      tell(status);
    }
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
    bodyBegun = true;
    tell(getStatus());
    return super.getOutputStream();
  }

  @Override
  public PrintWriter getWriter() throws IOException {
    bodyBegun = true;
    tell(getStatus());
    return super.getWriter();
  }

  @Override
  public void flushBuffer() throws IOException {
    tell(getStatus());
    super.flushBuffer();
  }
}
