package dev.steadfast.retry.server;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpPrincipal;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Enters a {@link RetryScope} around each request of the JDK's HTTP server, always closes it, and
 * adds {@link RetryScope#responseHeaders()} to responses of status 400 and above; a header that the
 * handler set itself stays as it is.
 *
 * <pre>{@code
 * server.createContext("/", handler).getFilters().add(HttpServerScope.filter());
 * }</pre>
 *
 * <p>The scope is bound to the thread that runs the handler. {@link RetryScope#wrap(Runnable)}
 * carries it to other threads. All that is made here is safe for use by many threads.
 */
public final class HttpServerScope {
  private HttpServerScope() {}

  /**
   * A filter that reads the standard headers and knows no principals, so no keys are derived.
   *
   * <p>The server calls a context's authenticator after its filters, and the authenticator accepts
   * only the server's own exchange. The filter of such a context enters the scope but adds nothing
   * to responses, and warns once; use {@link #handler(HttpHandler)} there.
   *
   * @return a filter for any number of contexts
   */
  public static Filter filter() {
    return filter(ScopeOptions.defaults(), exchange -> null);
  }

  /**
   * As {@link #filter()}, with other options or principals.
   *
   * @param options how to read the request
   * @param principal who sent the request, as something before this filter has found out; null for
   *     none
   * @return a filter for any number of contexts
   */
  public static Filter filter(
      ScopeOptions options, Function<HttpExchange, @Nullable String> principal) {
    return new ScopeFilter(new ExchangeScope(options, principal));
  }

  /**
   * A handler that reads the standard headers. The principal is the user that the context's
   * authenticator named, as realm and name.
   *
   * @param handler handles the requests, within a scope each
   * @return a handler for any number of contexts
   */
  public static HttpHandler handler(HttpHandler handler) {
    return handler(handler, ScopeOptions.defaults(), HttpServerScope::authenticated);
  }

  /**
   * As {@link #handler(HttpHandler)}, with other options or principals.
   *
   * @param handler handles the requests, within a scope each
   * @param options how to read the request; the operation is the handler's to set: method and path
   * @param principal who sent the request, null for none; never what the sender may choose freely,
   *     and with the issuer where the name is unique only per issuer
   * @return a handler for any number of contexts
   */
  public static HttpHandler handler(
      HttpHandler handler,
      ScopeOptions options,
      Function<HttpExchange, @Nullable String> principal) {
    Checks.notNull("handler", handler);
    ExchangeScope scope = new ExchangeScope(options, principal);
    return exchange -> scope.around(exchange, handler);
  }

  private static @Nullable String authenticated(HttpExchange exchange) {
    HttpPrincipal principal = exchange.getPrincipal();
    return principal == null ? null : principal.getName();
  }
}
