package dev.steadfast.retry.tck;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A request as it arrived on the wire.
 *
 * @param connection number of the connection, from 0 in order of acceptance
 * @param indexOnConnection number of the request on its connection, from 0; above 0 the client has
 *     reused the connection
 * @param method the method as sent
 * @param target the request target as sent, normally path and query
 * @param headers field lines in the order and the letter case in which they were sent
 * @param body the body without transfer coding; empty if the reply acted on the head
 */
// The array is copied on the way in and out, and requests are never compared.
@SuppressWarnings("ArrayRecordComponent")
public record Received(
    int connection,
    int indexOnConnection,
    String method,
    String target,
    List<Map.Entry<String, String>> headers,
    byte[] body) {

  /** Copies what could be changed. */
  public Received {
    headers = List.copyOf(headers);
    body = body.clone();
  }

  /**
   * A copy of the body.
   *
   * @return the bytes
   */
  @Override
  public byte[] body() {
    return body.clone();
  }

  /**
   * The body read as UTF-8.
   *
   * @return the text
   */
  public String bodyText() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /**
   * The value of the first field line of that name, letter case ignored.
   *
   * @param name the name, in any case
   * @return the value, empty if there is none
   */
  public Optional<String> header(String name) {
    return headerValues(name).stream().findFirst();
  }

  /**
   * The values of all field lines of that name, in order, letter case of the name ignored.
   *
   * @param name the name, in any case
   * @return the values
   */
  public List<String> headerValues(String name) {
    return values(headers, name);
  }

  /**
   * All field lines by name, letter case ignored; the values of one name are joined.
   *
   * @return a map, which the caller may change
   */
  public Map<String, String> headerMap() {
    Map<String, String> joined = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.forEach(line -> joined.merge(line.getKey(), line.getValue(), String::concat));
    return joined;
  }

  static List<String> values(List<Map.Entry<String, String>> headers, String name) {
    return headers.stream()
        .filter(line -> line.getKey().equalsIgnoreCase(name))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** A text for failure messages: says which request it was, not what it carried. */
  @Override
  public String toString() {
    String where = "connection " + connection + ", request " + indexOnConnection;
    return method + " " + target + " (" + where + ", " + body.length + " bytes)";
  }
}
