package dev.steadfast.retry.ordinary;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A request as the server received it, and the means to answer it. */
public final class Exchange {
  private static final int KEPT = 1 << 20;
  private static final Pattern BOUNDARY = Pattern.compile("boundary=\"?([^\";]+)");

  private final WireServer server;
  private final WireServer.Wire wire;
  private final int connection;
  private final String requestLine;
  private final List<String> headerLines;
  private final Text.Sum sum = new Text.Sum();
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final int number;
  private volatile String bodyState = "unread";

  private Exchange(WireServer server, WireServer.Wire wire, int connection, List<String> head) {
    this.server = server;
    this.wire = wire;
    this.connection = connection;
    this.requestLine = head.get(0);
    this.headerLines = List.copyOf(head.subList(1, head.size()));
    this.number = server.arrived(this);
  }

  static Exchange read(WireServer server, WireServer.Wire wire, int connection, char first)
      throws IOException {
    List<String> head = new ArrayList<>();
    head.add(first + line(wire));
    for (String line = line(wire); !line.isEmpty(); line = line(wire)) {
      head.add(line);
    }
    return new Exchange(server, wire, connection, head);
  }

  private static String line(WireServer.Wire wire) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = wire.in().read(); b != '\n'; b = wire.in().read()) {
      if (b < 0) {
        throw new EOFException();
      }
      line.write(b);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }

  /** The server. */
  public WireServer server() {
    return server;
  }

  /** The number of this request, from 1. */
  public int number() {
    return number;
  }

  /** The method. */
  public String method() {
    return requestLine.substring(0, requestLine.indexOf(' '));
  }

  /** The request target. */
  public String target() {
    return requestLine.split(" ", 3)[1];
  }

  /** The first value of a header, or null. */
  public @Nullable String header(String name) {
    return headerLines.stream()
        .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
        .map(line -> line.substring(name.length() + 1).trim())
        .findFirst()
        .orElse(null);
  }

  /** The body so far, up to 1 MiB. */
  public byte[] body() {
    return kept.toByteArray();
  }

  /** Reads the body, after {@code 100 Continue} if the client waits for that. */
  public void readBody() throws IOException {
    bodyState = "broken off";
    if ("100-continue".equalsIgnoreCase(header("Expect"))) {
      raw("HTTP/1.1 100 Continue\r\n\r\n");
    }
    String length = header("Content-Length");
    if ("chunked".equalsIgnoreCase(header("Transfer-Encoding"))) {
      for (int size = chunkSize(); size > 0; size = chunkSize()) {
        readBytes(size);
        line(wire);
      }
      for (String line = line(wire); !line.isEmpty(); line = line(wire)) {
        kept.writeBytes(("\ntrailer " + line).getBytes(StandardCharsets.ISO_8859_1));
      }
    } else if (length != null) {
      readBytes(Long.parseLong(length));
    }
    bodyState = "read";
  }

  private int chunkSize() throws IOException {
    return Integer.parseInt(line(wire).toLowerCase(Locale.ROOT).split(";", 2)[0].trim(), 16);
  }

  private void readBytes(long count) throws IOException {
    byte[] buffer = new byte[16_384];
    for (long left = count; left > 0; ) {
      int n = wire.in().read(buffer, 0, (int) Math.min(left, buffer.length));
      if (n < 0) {
        throw new EOFException();
      }
      synchronized (this) {
        sum.add(buffer, n);
        kept.write(buffer, 0, Math.min(n, KEPT - Math.min(KEPT, kept.size())));
      }
      left -= n;
    }
  }

  /** Answers with a text and its length. The connection stays open. */
  public void reply(int status, String body, String... headers) throws IOException {
    reply(status, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  /** Answers with bytes and their length. The connection stays open. */
  public void reply(int status, byte[] body, String... headers) throws IOException {
    boolean bodyless = status == 204 || status == 304;
    StringBuilder head = new StringBuilder(head(status, headers));
    head.setLength(head.length() - 2);
    if (!bodyless) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream(); // one write: one packet if it is short
    all.writeBytes((head + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    if (!bodyless && !method().equals("HEAD")) {
      all.writeBytes(body);
    }
    raw(all.toByteArray());
  }

  /** A head without a length, with its empty line. */
  public static String head(int status, String... headers) {
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Text of " + status + "\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    return head.append("\r\n").toString();
  }

  /** Writes a text as it is. */
  public void raw(String text) throws IOException {
    raw(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Writes bytes as they are. */
  public void raw(byte[] bytes) throws IOException {
    wire.out().write(bytes);
    wire.out().flush();
  }

  /** Writes a chunk; an empty one ends the body. */
  public void chunk(String text) throws IOException {
    raw(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n");
  }

  /** Waits until the program calls {@link WireServer#openGate}. */
  public void awaitGate() throws InterruptedException {
    server.awaitGate();
  }

  /** Has the connection end after this exchange. */
  public void thenClose() {
    wire.end();
  }

  /** Begins TLS: what follows on this connection is encrypted. */
  public void startTls() throws IOException {
    wire.startTls(Tls.server());
  }

  void report(Observation seen, boolean ordered) {
    String mark = ordered ? "#" + number + " " : "";
    String on = ordered ? "on connection " + connection + ": " : "";
    seen.note("requests", mark + on + requestLine);
    headerLines.forEach(line -> seen.note("headers", mark + withoutBoundary(line)));
    synchronized (this) {
      String body = bodyState.equals("read") ? bodyText() : bodyState;
      seen.note("bodies", mark + body);
    }
  }

  private String bodyText() {
    boolean all = kept.size() < KEPT;
    return all && boundary() != null
        ? Text.of(
            withoutBoundary(kept.toString(StandardCharsets.ISO_8859_1))
                .getBytes(StandardCharsets.ISO_8859_1))
        : sum.toString();
  }

  /** The boundary of a multipart body is random, so it is no difference. */
  private String withoutBoundary(String text) {
    String boundary = boundary();
    return boundary == null ? text : text.replace(boundary, "(boundary)");
  }

  private @Nullable String boundary() {
    String type = header("Content-Type");
    Matcher found = BOUNDARY.matcher(type == null ? "" : type);
    return found.find() ? found.group(1) : null;
  }
}
