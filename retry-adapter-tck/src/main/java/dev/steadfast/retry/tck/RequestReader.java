package dev.steadfast.retry.tck;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses requests (RFC 9112), strictly: what a lenient server would forgive is a finding here. A
 * request that breaks the rules is a {@link ProtocolException}, a client that leaves within one an
 * {@link EOFException}.
 */
final class RequestReader {
  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
  private static final Pattern REQUEST_LINE =
      Pattern.compile("(" + TOKEN + ") (\\S+) HTTP/1\\.([01])");
  private static final Pattern FIELD_LINE = Pattern.compile("(" + TOKEN + "):[ \t]*(.*?)[ \t]*");
  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,9}");
  private static final Pattern CHUNK_SIZE = Pattern.compile("([0-9A-Fa-f]{1,7})[ \t]*(;.*)?");
  private static final int MAX_LINE = 65_536;

  private final ClientInput in;

  RequestReader(ClientInput in) {
    this.in = in;
  }

  /** A request without its body. */
  record Head(
      String method,
      String target,
      boolean persistent,
      List<Map.Entry<String, String>> headers,
      boolean chunked,
      int contentLength) {

    boolean hasBody() {
      return chunked || contentLength > 0;
    }

    boolean expectsContinue() {
      return hasBody() && hasToken(headers, "Expect", "100-continue");
    }
  }

  /** Whether a list-valued field, such as {@code Connection}, names this token. */
  static boolean hasToken(List<Map.Entry<String, String>> headers, String name, String token) {
    return Received.values(headers, name).stream()
        .flatMap(value -> Pattern.compile(",").splitAsStream(value))
        .anyMatch(element -> element.trim().equalsIgnoreCase(token));
  }

  /** The next head; empty if the client left between requests. */
  Optional<Head> readHead() throws IOException {
    int first = in.read();
    if (first < 0) {
      return Optional.empty();
    }
    Matcher line = match(REQUEST_LINE, readLine(first));
    List<Map.Entry<String, String>> headers = readFields();
    boolean persistent = line.group(3).equals("1") && !hasToken(headers, "Connection", "close");
    boolean chunked = chunked(headers);
    int length = chunked ? 0 : contentLength(headers);
    return Optional.of(
        new Head(line.group(1), line.group(2), persistent, headers, chunked, length));
  }

  byte[] readBody(Head head) throws IOException {
    return head.chunked() ? readChunks() : in.read(head.contentLength());
  }

  private byte[] readChunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int size = readChunkSize(); size > 0; size = readChunkSize()) {
      body.writeBytes(in.read(size));
      String end = readLine(in.read());
      if (!end.isEmpty()) {
        throw new ProtocolException("a chunk of " + size + " bytes goes on with: " + end);
      }
    }
    readFields(); // Trailers: no client under test sends any, and no test asks for them.
    return body.toByteArray();
  }

  private int readChunkSize() throws IOException {
    return Integer.parseInt(match(CHUNK_SIZE, readLine(in.read())).group(1), 16);
  }

  private List<Map.Entry<String, String>> readFields() throws IOException {
    List<Map.Entry<String, String>> fields = new ArrayList<>();
    for (String line = readLine(in.read()); !line.isEmpty(); line = readLine(in.read())) {
      Matcher field = match(FIELD_LINE, line);
      fields.add(Map.entry(field.group(1), field.group(2)));
    }
    return fields;
  }

  private static boolean chunked(List<Map.Entry<String, String>> headers) throws IOException {
    List<String> codings = Received.values(headers, "Transfer-Encoding");
    if (codings.isEmpty()) {
      return false;
    }
    if (codings.size() > 1 || !codings.get(0).equalsIgnoreCase("chunked")) {
      throw new ProtocolException("Transfer-Encoding: " + codings + " (expected: chunked)");
    }
    if (!Received.values(headers, "Content-Length").isEmpty()) {
      throw new ProtocolException("both Transfer-Encoding and Content-Length");
    }
    return true;
  }

  private static int contentLength(List<Map.Entry<String, String>> headers) throws IOException {
    List<String> lengths = Received.values(headers, "Content-Length");
    if (lengths.isEmpty()) {
      return 0;
    }
    if (lengths.size() > 1 || !LENGTH.matcher(lengths.get(0)).matches()) {
      throw new ProtocolException("Content-Length: " + lengths + " (expected: one, 1 to 9 digits)");
    }
    return Integer.parseInt(lengths.get(0));
  }

  /** The line that begins with this byte, without its CRLF. */
  private String readLine(int first) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = first; b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the client left within a request");
      }
      if (line.size() == MAX_LINE) {
        throw new ProtocolException("a line of more than " + MAX_LINE + " bytes");
      }
      line.write(b);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    if (!text.endsWith("\r")) {
      throw new ProtocolException("a line without CR: " + text);
    }
    return text.substring(0, text.length() - 1);
  }

  private static Matcher match(Pattern pattern, String line) throws ProtocolException {
    Matcher matcher = pattern.matcher(line);
    if (!matcher.matches()) {
      throw new ProtocolException("malformed: '" + line + "'");
    }
    return matcher;
  }
}
