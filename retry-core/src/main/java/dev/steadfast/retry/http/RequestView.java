package dev.steadfast.retry.http;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A request as the rules see it, whatever the client. Implementations are immutable. */
public interface RequestView {

  /** {@return the method as sent, case-sensitive (RFC 9110 section 9.1)} */
  String method();

  /** {@return the target, an absolute URI} */
  URI uri();

  /**
   * {@return the origin of the request, for which budgets and guards are kept: scheme, host and
   * port in lower case, as in {@code https://api.example.com:443}; by default those of {@link
   * #uri()}}
   */
  default String origin() {
    return Origins.of(uri());
  }

  /**
   * The origin of a target, as {@link #origin()} writes it.
   *
   * @param uri an absolute URI
   * @return the same text for the same origin, however it is spelled
   */
  static String origin(URI uri) {
    return Origins.of(uri);
  }

  /**
   * Writes an origin as {@link #origin()} does, for clients that already have its parts.
   *
   * @param scheme in lower case
   * @param host in lower case; an IPv6 address in brackets
   * @param port from 1 to 65535
   * @return the same text for the same parts, most often the same object
   */
  static String origin(String scheme, String host, int port) {
    return Origins.of(scheme, host, port);
  }

  /**
   * The values of a header.
   *
   * @param name the name, in any case
   * @return the values in order, empty if the header is absent
   */
  List<String> headers(String name);

  /**
   * {@return the names of all headers, in any case; none for a request without headers; empty, the
   * default, if they are not known: such a request cannot be journaled} A journal asks for them,
   * because it must not drop one.
   */
  default Optional<Set<String>> headerNames() {
    return Optional.empty();
  }

  /**
   * The bytes of the body, for keys that are hashes of the request.
   *
   * @param limit the most bytes to return
   * @return the bytes, none for a request without body; empty if the body can be read only once or
   *     is longer than the limit
   */
  Optional<byte[]> body(int limit);
}
