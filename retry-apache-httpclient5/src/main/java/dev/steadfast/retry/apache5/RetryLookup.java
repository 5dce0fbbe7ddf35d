package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.internal.Checks;
import java.io.IOException;
import java.util.Objects;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * Asks a client for our handler, which it does not show. The request is cancelled beforehand: our
 * handler answers it, and a client without it gets no connection for it.
 */
final class RetryLookup {
  private static final String LOOKUP = "dev.steadfast.retry.lookup";
  private volatile @Nullable HttpRetry found;

  private RetryLookup() {}

  /** Answers a call that only asks for our handler. Returns whether it is such a call. */
  static boolean answered(HttpContext context, HttpRetry retry) {
    if (context.getAttribute(LOOKUP) instanceof RetryLookup lookup) {
      lookup.found = retry;
      return true;
    }
    return false;
  }

  /**
   * The configuration of the handler of a client.
   *
   * @throws IllegalArgumentException if it has none
   */
  static HttpRetry configuration(HttpClient client) {
    RetryLookup lookup = new RetryLookup();
    HttpClientContext context = HttpClientContext.create();
    context.setAttribute(LOOKUP, lookup);
    HttpGet nothing = new HttpGet("http://localhost/");
    nothing.cancel();
    Exception cause = null;
    try {
      client.execute(nothing, context, response -> Boolean.TRUE);
    } catch (IOException | RuntimeException thrown) {
      cause = thrown;
    }
    if (lookup.found == null) {
      IllegalArgumentException foreign =
          Checks.bad("client", client, "one whose builder was given to Apache5Retry.addTo");
      foreign.initCause(cause);
      throw foreign;
    }
    return Objects.requireNonNull(lookup.found);
  }
}
