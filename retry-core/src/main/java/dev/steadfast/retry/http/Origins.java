package dev.steadfast.retry.http;

import java.net.URI;
import java.util.Locale;

/** What is shown and kept of a target: never its user info and query, both carry secrets. */
final class Origins {
  private Origins() {}

  /** Scheme, host and port in lower case; two spellings of one origin are one origin. */
  static String of(URI uri) {
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    return scheme + "://" + hostAndPort(uri, scheme.equals("https") ? 443 : 80);
  }

  /** Method, origin and path. */
  static String label(RequestView request) {
    String path = request.uri().getRawPath();
    return request.method() + " " + request.origin() + (path == null ? "" : path);
  }

  private static String hostAndPort(URI uri, int usual) {
    String host = uri.getHost();
    if (host != null) {
      return host.toLowerCase(Locale.ROOT) + ":" + (uri.getPort() < 0 ? usual : uri.getPort());
    }
    // java.net.URI knows no host with an underscore; clients and servers do.
    String authority = String.valueOf(uri.getRawAuthority()).toLowerCase(Locale.ROOT);
    String place = authority.substring(authority.lastIndexOf('@') + 1);
    return place.matches(".*:[0-9]+") ? place : place.replaceFirst(":$", "") + ":" + usual;
  }
}
