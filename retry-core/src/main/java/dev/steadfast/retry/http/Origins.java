package dev.steadfast.retry.http;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The part of a target that is shown and kept: never its user info and query, which may be secrets.
 */
final class Origins {
  // A process calls few origins, over and over. Threads may overwrite what others put here: an
  // entry is immutable, and one that is missing is made again.
  private static final @Nullable Known[] KNOWN = new Known[64];

  private record Known(String scheme, String host, int port, String origin) {
    boolean is(String otherScheme, String otherHost, int otherPort) {
      return port == otherPort && host.equals(otherHost) && scheme.equals(otherScheme);
    }
  }

  private Origins() {}

  /** Scheme, host and port in lower case; two spellings of one origin are one origin. */
  static String of(URI uri) {
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    int usual = scheme.equals("https") ? 443 : 80;
    String host = uri.getHost();
    return host == null
        ? scheme + "://" + place(uri, usual)
        : of(scheme, host.toLowerCase(Locale.ROOT), uri.getPort() < 0 ? usual : uri.getPort());
  }

  /** The same of parts that are in lower case. */
  static String of(String scheme, String host, int port) {
    int hash = 31 * host.hashCode() + port;
    int slot = (hash ^ (hash >>> 16)) & (KNOWN.length - 1);
    Known known = KNOWN[slot];
    if (known == null || !known.is(scheme, host, port)) {
      known = new Known(scheme, host, port, scheme + "://" + host + ":" + port);
      KNOWN[slot] = known;
    }
    return known.origin();
  }

  /** Whether both are one server. One that asks for https instead of http is the same. */
  static boolean sameServer(String one, String other) {
    boolean plain = one.startsWith("http:") && one.endsWith(":80");
    return one.equals(other)
        || (plain && other.equals("https" + one.substring(4, one.length() - 2) + "443"));
  }

  /** Method, origin and path. */
  static String label(RequestView request) {
    String path = request.uri().getRawPath();
    return request.method() + " " + request.origin() + (path == null ? "" : path);
  }

  // java.net.URI knows no host with an underscore; clients and servers do.
  private static String place(URI uri, int usual) {
    String authority = String.valueOf(uri.getRawAuthority()).toLowerCase(Locale.ROOT);
    String place = authority.substring(authority.lastIndexOf('@') + 1);
    return place.matches(".*:[0-9]+") ? place : place.replaceFirst(":$", "") + ":" + usual;
  }
}
