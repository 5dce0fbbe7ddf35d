package dev.steadfast.retry.http;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.internal.Checks;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The services that are told, by request headers, how much time is left and whether a layer above
 * retries. Third parties should not see these headers, so each origin is named. A header that the
 * caller set is never overwritten. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * HttpRetry.builder().propagation(Propagation.to("https://stock.internal:8443").owningRetries())
 * }</pre>
 */
public final class Propagation {
  private static final int MOST_PORT = 65_535;
  static final Propagation NONE = new Propagation(Set.of(), ScopeHeaders.standard(), false);

  private final Set<String> origins;
  private final ScopeHeaders headers;
  private final boolean ownsRetries;

  private Propagation(Set<String> origins, ScopeHeaders headers, boolean ownsRetries) {
    this.origins = origins;
    this.headers = headers;
    this.ownsRetries = ownsRetries;
  }

  /**
   * Tells these origins how much time is left. Within a scope in which a layer above retries, they
   * are also told not to retry.
   *
   * @param origins one or more; scheme, host and port each, as in {@code
   *     https://stock.internal:8443}; the port may be left out where it is the scheme's own
   * @return the propagation
   * @throws IllegalArgumentException if there is none, or one is not of that form
   */
  public static Propagation to(String... origins) {
    Set<String> names = new HashSet<>();
    for (String origin : Checks.notNull("origins", origins)) {
      names.add(origin(origin));
    }
    if (names.isEmpty()) {
      throw Checks.bad("origins", "none", "one or more");
    }
    return new Propagation(Set.copyOf(names), ScopeHeaders.standard(), false);
  }

  /**
   * The same, and each request tells the origins not to retry, because this client does. Only one
   * layer of services should own the retries.
   *
   * @return a changed copy
   */
  public Propagation owningRetries() {
    return new Propagation(origins, headers, true);
  }

  /**
   * The same with other names of headers than {@link ScopeHeaders#standard()}.
   *
   * @param names the headers
   * @return a changed copy
   */
  public Propagation withHeaders(ScopeHeaders names) {
    return new Propagation(origins, Checks.notNull("headers", names), ownsRetries);
  }

  /** Scheme, host and port as operations name them. */
  private static String origin(String given) {
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

  ScopeHeaders headers() {
    return headers;
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
