package dev.steadfast.retry.examples.guide;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Propagation;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.ScopeHeaders;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.server.HttpServerScope;
import dev.steadfast.retry.server.ServletScope;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/** What the guide to scopes shows. */
final class ScopeGuide {
  private ScopeGuide() {}

  static HttpRetry owner() {
    // region scope-owner
    HttpRetry retry =
        HttpRetry.builder()
            .propagation(Propagation.to("https://orders.internal").owningRetries())
            .build();
    // endregion
    return retry;
  }

  static HttpRetry between(String stockOrigin) {
    HttpRetry retry = HttpRetry.builder().propagation(Propagation.to(stockOrigin)).build();
    return retry;
  }

  static void jdkServer(HttpServer server, HttpHandler orders) {
    // region scope-jdk-server
    server.createContext("/orders", orders).getFilters().add(HttpServerScope.filter());
    // endregion
  }

  static void servlets(ServletContext context) {
    // region scope-servlet
    FilterRegistration.Dynamic filter = context.addFilter("retry-scope", new ServletScope());
    filter.setAsyncSupported(true);
    filter.addMappingForUrlPatterns(
        EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), true, "/*");
    // endregion
  }

  static void byHand(HttpExchange exchange, HttpClient stock, HttpRequest ask)
      throws IOException, InterruptedException {
    // region scope-by-hand
    Headers headers = exchange.getRequestHeaders();
    Function<String, String> lookUp =
        name -> headers.containsKey(name) ? String.join(",", headers.get(name)) : null;
    try (RetryScope scope = RetryScope.enter(lookUp)) {
      int status = stock.send(ask, BodyHandlers.discarding()).statusCode(); // obeys the scope
      if (status >= 400) {
        scope.responseHeaders().forEach(exchange.getResponseHeaders()::set);
      }
      exchange.sendResponseHeaders(status, -1);
    }
    // endregion
  }

  static HttpHandler tenants(HttpHandler orders, Function<HttpExchange, String> tenantOf) {
    HttpHandler handler = HttpServerScope.handler(orders, ScopeOptions.defaults(), tenantOf);
    return handler;
  }

  static void derivedKey(HttpClient plain, HttpRequest reservation)
      throws IOException, InterruptedException {
    HttpRetry retry = HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    RetryOptions reserve = RetryOptions.builder().derivedKey("reserve").build();
    RetryingHttpClient.wrap(plain, retry)
        .with(reserve)
        .send(reservation, BodyHandlers.discarding()); // the same key when the caller repeats
  }

  static CompletableFuture<String> wrap(
      Executor executor, Supplier<String> stock, Function<String, String> price) {
    // region scope-wrap
    Executor ofThisRequest = RetryScope.wrap(executor);
    CompletableFuture<String> priced =
        CompletableFuture.supplyAsync(stock, ofThisRequest).thenApplyAsync(price, ofThisRequest);
    // endregion
    return priced;
  }

  static HttpRetry envoy(HttpServer server, HttpHandler orders) {
    ScopeHeaders names = ScopeHeaders.envoy();
    HttpRetry retry =
        HttpRetry.builder()
            .propagation(Propagation.to("http://stock.internal").withHeaders(names))
            .build();
    Filter filter =
        HttpServerScope.filter(ScopeOptions.builder().headers(names).build(), exchange -> null);
    server.createContext("/orders", orders).getFilters().add(filter);
    return retry;
  }
}
