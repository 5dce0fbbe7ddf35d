package dev.steadfast.retry.server;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Enters a {@link RetryScope} around each request of a servlet container, closes it whatever
 * happens, and adds {@link RetryScope#responseHeaders()} to responses of status 400 and above,
 * unless they are committed before the calls give up; a header that the servlet set itself stays as
 * it is. It needs Jakarta Servlet 5 or newer.
 *
 * <p>The scope is bound to the thread that the container dispatches on. Asynchronous servlets carry
 * it to their own threads by {@link RetryScope#wrap(Runnable)}, and answer through the response
 * that they were given, as {@code startAsync(request, response)} does. Register the filter with
 * {@code asyncSupported}; for dispatches besides {@code REQUEST} it goes on with the scope of the
 * request. Safe for use by many threads.
 */
public final class ServletScope implements Filter {
  private static final String SCOPE = RetryScope.class.getName(); // an attribute of the request
  private static final String CONTEXT = ServletScope.class.getName() + ".context";

  private final ScopeOptions options;
  private final Function<HttpServletRequest, @Nullable String> principal;

  /**
   * Reads the standard headers. The principal is the user that the container has authenticated, if
   * there is one. If user names are unique only per issuer, give a principal that includes the
   * issuer, with {@link #of}.
   */
  public ServletScope() {
    this(ScopeOptions.defaults(), ServletScope::authenticated);
  }

  private ServletScope(
      ScopeOptions options, Function<HttpServletRequest, @Nullable String> principal) {
    this.options = Checks.notNull("options", options);
    this.principal = Checks.notNull("principal", principal);
  }

  /**
   * A filter with other options or principals.
   *
   * @param options how to read the request; the operation is the filter's to set: method and path
   * @param principal who sent the request, null for none; never what the sender may choose freely,
   *     and with the issuer where the name is unique only per issuer
   * @return a filter
   */
  public static ServletScope of(
      ScopeOptions options, Function<HttpServletRequest, @Nullable String> principal) {
    return new ServletScope(options, principal);
  }

  private static @Nullable String authenticated(HttpServletRequest request) {
    Principal user = request.getUserPrincipal();
    String name = user == null ? null : user.getName();
    return name == null || name.isBlank() ? null : name;
  }

  /**
   * Goes on with the chain, within a scope.
   *
   * @param request the request
   * @param response its response
   * @param chain what comes after this filter
   * @throws IOException if what comes after throws it
   * @throws ServletException if what comes after throws it
   */
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest asked)
        || !(response instanceof HttpServletResponse answer)) {
      chain.doFilter(request, response);
      return;
    }
    if (asked.getDispatcherType() != DispatcherType.REQUEST
        && asked.getAttribute(SCOPE) instanceof RetryScope entered) {
      // The time that is left continues to run: it is not read again.
      CallContext before = CallContext.bind((CallContext) asked.getAttribute(CONTEXT));
      try {
        proceed(asked, new ScopedResponse(asked, answer, entered), chain);
      } finally {
        CallContext.bind(before);
      }
      return;
    }
    try (RetryScope scope = enter(asked)) {
      asked.setAttribute(SCOPE, scope);
      asked.setAttribute(CONTEXT, CallContext.current());
      proceed(asked, new ScopedResponse(asked, answer, scope), chain);
    }
  }

  private RetryScope enter(HttpServletRequest request) {
    return RetryScope.enter(
        name -> joined(request.getHeaders(name)),
        principal.apply(request),
        options.withOperation(request.getMethod() + " " + path(request)));
  }

  // The path without what a container keeps in the path, such as the id of a session.
  private static String path(HttpServletRequest request) {
    String rest = request.getPathInfo();
    return request.getContextPath() + request.getServletPath() + (rest == null ? "" : rest);
  }

  private static @Nullable String joined(@Nullable Enumeration<String> lines) {
    return lines == null || !lines.hasMoreElements()
        ? null
        : String.join(",", Collections.list(lines));
  }

  private static void proceed(
      HttpServletRequest request, ScopedResponse response, FilterChain chain)
      throws IOException, ServletException {
    try {
      chain.doFilter(request, response);
    } catch (IOException | ServletException | RuntimeException | Error thrown) {
      response.tell(HttpServletResponse.SC_INTERNAL_SERVER_ERROR); // what containers make of it
      throw thrown;
    }
    if (!request.isAsyncStarted()) { // else the response is another thread's by now
      response.tell(response.getStatus());
    }
  }
}
