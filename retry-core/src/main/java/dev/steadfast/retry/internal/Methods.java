package dev.steadfast.retry.internal;

import java.util.Set;

/** The meaning of HTTP methods. */
public final class Methods {
  // RFC 9110 section 9.2.1; QUERY by RFC 10008.
  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "QUERY");

  private Methods() {}

  /** Whether a request with this method, which is case-sensitive, asks for no effect. */
  public static boolean reads(String method) {
    return READS.contains(method);
  }
}
