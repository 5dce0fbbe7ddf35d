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
 * What other services are told: that a layer above retries, how much time is left, and to which of
 * them these request headers are sent. Third parties should not see them. A header that the caller
 * set is never overwritten. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * HttpRetry.builder().propagation(Propagation.to("https://stock.internal:8443").owningRetries())
 * }</pre>
 */
public final class Propagation {
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
   * Headers to these origins: the time that is left, and {@code Do-Not-Retry} within a scope in
   * which a layer above retries.
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
   * The same, and the origins are told not to retry in each request, because this client does. Only
   * the layer that retries says so.
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

  private static final int MOST_PORT = 65_535;

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
