package dev.steadfast.retry.server;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Enters a scope around what follows in the chain. */
final class ScopeFilter extends Filter {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final ExchangeScope scope;
  private final AtomicBoolean warned = new AtomicBoolean();

  ScopeFilter(ExchangeScope scope) {
    this.scope = scope;
  }

  @Override
  public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
    // An authenticator runs after all filters and casts the exchange to the server's own class.
    if (exchange.getHttpContext().getAuthenticator() == null) {
      scope.around(exchange, chain::doFilter);
      return;
    }
    if (warned.compareAndSet(false, true)) {
      LOG.warn(
          "the context {} has an authenticator, so a filter cannot add what a scope says to its"
              + " responses: use HttpServerScope.handler there",
          exchange.getHttpContext().getPath());
    }
    scope.aroundUnseen(exchange, chain::doFilter);
  }

  @Override
  public String description() {
    return "carries what a request imposes to the calls that are made for it";
  }
}
