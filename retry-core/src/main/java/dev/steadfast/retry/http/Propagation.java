package dev.steadfast.retry.http;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.internal.Checks;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which parts of a scope are sent, and to which servers.
 *
 * @param origins the servers that get the headers
 * @param headers how the scope is written
 * @param ownsRetries whether the layers below learn that this layer retries
 */
record Propagation(Set<String> origins, ScopeHeaders headers, boolean ownsRetries) {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  Propagation {
    if (ownsRetries && origins.isEmpty()) {
      LOG.warn(
          "ownsRetries has no effect without propagateTo, which names the origins that are told");
    }
  }

  private static final int MOST_PORT = 65_535;

  /** Scheme, host and port as operations name them. */
  static String origin(String given) {
    try {
      URI uri = new URI(Checks.notNull("origin", given));
      boolean bare =
          uri.getRawQuery() == null
              && uri.getRawFragment() == null
              && uri.getRawUserInfo() == null
              && (uri.getRawPath() == null || uri.getRawPath().matches("/?"));
      boolean http =
          "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
      // java.net.URI takes a name with an underscore for an authority, and not for a host.
      boolean place =
          uri.getHost() != null
              || (uri.getRawAuthority() != null
                  && uri.getRawAuthority().matches("[A-Za-z0-9._-]+(:[0-9]*)?"));
      if (bare && http && place && uri.getPort() <= MOST_PORT) {
        return Origins.of(uri);
      }
    } catch (URISyntaxException malformed) {
      // as below
    }
    throw Checks.bad(
        "origin", Checks.printable(given), "scheme, host and port: https://api.example.com");
  }

  boolean reaches(String origin) {
    return origins.contains(origin);
  }

  void write(
      @Nullable CallContext callContext, long remainingNanos, BiConsumer<String, String> header) {
    if (ownsRetries || (callContext != null && callContext.doNotRetry())) {
      headers.writeDoNotRetry(header);
    }
    headers.writeRemaining(remainingNanos, header);
  }
}
