package dev.steadfast.retry.server;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsExchange;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs a handler within the scope of its request. */
final class ExchangeScope {
  private final ScopeOptions options;
  private final Function<HttpExchange, @Nullable String> principal;

  ExchangeScope(ScopeOptions options, Function<HttpExchange, @Nullable String> principal) {
    this.options = Checks.notNull("options", options);
    this.principal = Checks.notNull("principal", principal);
  }

  void around(HttpExchange exchange, HttpHandler handler) throws IOException {
    try (RetryScope scope = enter(exchange)) {
      handler.handle(
          exchange instanceof HttpsExchange https
              ? new ScopedHttpsExchange(https, scope)
              : new ScopedExchange(exchange, scope));
    }
  }

  /** Runs a handler within the scope, and adds nothing to the response. */
  void aroundUnseen(HttpExchange exchange, HttpHandler handler) throws IOException {
    try (RetryScope scope = enter(exchange)) {
      handler.handle(exchange);
    }
  }

  private RetryScope enter(HttpExchange exchange) {
    Headers headers = exchange.getRequestHeaders();
    return RetryScope.enter(
        name -> joined(headers.get(name)),
        principal.apply(exchange),
        options.withOperation(
            exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath()));
  }

  private static @Nullable String joined(@Nullable List<String> lines) {
    return lines == null ? null : String.join(",", lines);
  }

  /** Adds the headers that tell the layer above not to retry a failed response. */
  static void tell(int status, RetryScope scope, Headers response) {
    if (status >= 400) {
      scope
          .responseHeaders()
          .forEach((name, value) -> {
            if (!response.containsKey(name)) {
              response.set(name, value);
            }
          });
    }
  }
}
