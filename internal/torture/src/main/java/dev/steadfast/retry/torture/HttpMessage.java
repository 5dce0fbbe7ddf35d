package dev.steadfast.retry.torture;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request or an answer of HTTP/1.1 whose body has a Content-Length, as all of them here.
 * Immutable.
 */
final class HttpMessage {
  private static final Pattern INTENT = Pattern.compile("(?:^|&)intent=([^&]*)");
  private static final Pattern ACCOUNT = Pattern.compile("(?:^|&)account=([^&]*)");
  private static final int MOST_HEAD = 64 * 1024;

  private final String start; // the first line
  private final List<String> headers; // the lines after it
  private final byte[] body;

  private HttpMessage(String start, List<String> headers, byte[] body) {
    this.start = start;
    this.headers = List.copyOf(headers);
    this.body = body;
  }

  /** Reads one; empty if nothing comes any more. */
  static Optional<HttpMessage> read(InputStream in) throws IOException {
    int first = in.read();
    if (first < 0) {
      return Optional.empty();
    }
    List<String> lines = head(first, in);
    List<String> headers = lines.subList(1, lines.size());
    int length = value(headers, "Content-Length").map(Integer::parseInt).orElse(0);
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("within a body");
    }
    return Optional.of(new HttpMessage(lines.get(0), headers, body));
  }

  private static List<String> head(int first, InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    head.write(first);
    int newLines = 0; // in a row
    while (newLines < 2) {
      int next = in.read();
      if (next < 0 || head.size() > MOST_HEAD) {
        throw new EOFException("within a head");
      }
      head.write(next);
      newLines = next == '\n' ? newLines + 1 : next == '\r' ? newLines : 0;
    }
    String text = head.toString(StandardCharsets.ISO_8859_1);
    return Arrays.asList(text.substring(0, text.length() - 4).split("\r\n", -1));
  }

  private static Optional<String> value(List<String> headers, String name) {
    String prefix = prefix(name);
    return headers.stream()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
        .map(line -> line.substring(prefix.length()).trim())
        .findFirst();
  }

  private static String prefix(String name) {
    return name.toLowerCase(Locale.ROOT) + ":";
  }

  Optional<String> header(String name) {
    return value(headers, name);
  }

  HttpMessage with(String name, String value) {
    List<String> more = new ArrayList<>(without(name).headers);
    more.add(name + ": " + value);
    return new HttpMessage(start, more, body);
  }

  HttpMessage without(String name) {
    List<String> rest =
        headers.stream()
            .filter(line -> !line.toLowerCase(Locale.ROOT).startsWith(prefix(name)))
            .toList();
    return new HttpMessage(start, rest, body);
  }

  /** Whether it asks for a payment, and is not a look-up. */
  boolean pays() {
    return start.startsWith("POST /payments ");
  }

  /** The intent in the body of a request to pay. */
  Optional<String> intent() {
    Matcher matcher = INTENT.matcher(new String(body, StandardCharsets.UTF_8));
    return pays() && matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** The account in the body of a request to pay. */
  Optional<String> account() {
    Matcher matcher = ACCOUNT.matcher(new String(body, StandardCharsets.UTF_8));
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(headBytes());
    bytes.writeBytes(body);
    return bytes.toByteArray();
  }

  /** All but the second half of the body. */
  byte[] firstPart() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(headBytes());
    bytes.write(body, 0, body.length / 2);
    return bytes.toByteArray();
  }

  private byte[] headBytes() {
    String head = start + "\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
    return head.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** An answer without a body. */
  static HttpMessage answer(int status) {
    return new HttpMessage(
        "HTTP/1.1 " + status + " of the proxy", List.of("Content-Length: 0"), new byte[0]);
  }
}
