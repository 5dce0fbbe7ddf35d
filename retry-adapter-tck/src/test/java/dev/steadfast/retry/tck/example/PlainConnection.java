package dev.steadfast.retry.tck.example;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One HTTP/1.1 connection of the client, which resends nothing and hides nothing. */
public final class PlainConnection {
  private static final int CHUNK = 16 * 1024;

  private final Socket socket;
  private final InputStream in;
  private boolean sawByte;

  /** How the end of a request body is told. */
  public enum Framing {
    NO_BODY,
    LENGTH,
    CHUNKED
  }

  /** A request; a body that is one-shot can be sent only once. */
  public record Request(
      String method,
      URI uri,
      List<Map.Entry<String, String>> headers,
      String body,
      Framing framing,
      boolean oneShot) {
    /** A GET without headers. */
    public static Request get(URI uri) {
      return new Request("GET", uri, List.of(), "", Framing.NO_BODY, false);
    }

    byte[] bytes() {
      return body.getBytes(StandardCharsets.UTF_8);
    }

    Request with(List<Map.Entry<String, String>> other) {
      return new Request(method, uri, other, body, framing, oneShot);
    }

    List<String> values(String name) {
      return headers.stream()
          .filter(line -> line.getKey().equalsIgnoreCase(name))
          .map(Map.Entry::getValue)
          .toList();
    }
  }

  /** A response whose body is still to be read. */
  public record Head(int status, Map<String, List<String>> headers) {
    List<String> values(String name) {
      return headers.entrySet().stream()
          .filter(line -> line.getKey().equalsIgnoreCase(name))
          .flatMap(line -> line.getValue().stream())
          .toList();
    }
  }

  /** Connects. */
  public PlainConnection(URI uri) throws IOException {
    this.socket = new Socket(uri.getHost(), uri.getPort());
    this.in = new BufferedInputStream(socket.getInputStream());
    socket.setTcpNoDelay(true);
  }

  /** Sends a request and flushes it. */
  public void send(Request request) throws IOException {
    sawByte = false;
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    message.writeBytes(latin(request.method() + " " + target(request.uri()) + " HTTP/1.1\r\n"));
    message.writeBytes(latin("Host: " + request.uri().getAuthority() + "\r\n"));
    request
        .headers()
        .forEach(
            line -> message.writeBytes(latin(line.getKey() + ": " + line.getValue() + "\r\n")));
    byte[] body = request.bytes();
    switch (request.framing()) {
      case NO_BODY -> message.writeBytes(latin("\r\n"));
      case LENGTH -> {
        message.writeBytes(latin("Content-Length: " + body.length + "\r\n\r\n"));
        message.writeBytes(body);
      }
      case CHUNKED -> {
        message.writeBytes(latin("Transfer-Encoding: chunked\r\n\r\n"));
        message.writeBytes(latin(Integer.toHexString(body.length) + "\r\n"));
        message.writeBytes(body);
        message.writeBytes(latin("\r\n0\r\n\r\n"));
      }
    }
    socket.getOutputStream().write(message.toByteArray());
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String target(URI uri) {
    return uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
  }

  /** Reads the head of the answer. */
  public Head readHead() throws IOException {
    String statusLine = readLine();
    if (!statusLine.matches("HTTP/1\\.1 [1-5][0-9][0-9] .*")) {
      throw new ProtocolException("not a status line: " + statusLine);
    }
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String line = readLine(); !line.isEmpty(); line = readLine()) {
      int colon = line.indexOf(':');
      headers
          .computeIfAbsent(line.substring(0, colon), unused -> new ArrayList<>())
          .add(line.substring(colon + 1).trim());
    }
    return new Head(Integer.parseInt(statusLine.substring(9, 12)), headers);
  }

  /** Whether any byte of the current answer has come. */
  boolean sawByte() {
    return sawByte;
  }

  /** Reads the body up to the given number of bytes; null if it is longer. */
  byte[] readBody(Head head, boolean none, int limit) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (none || head.status() == 204 || head.status() == 304) {
      return body.toByteArray();
    }
    if (head.values("Transfer-Encoding").contains("chunked")) {
      int length = chunkLength();
      while (length > 0 && body.size() <= limit) {
        body.writeBytes(readFully(length));
        readLine();
        length = chunkLength();
      }
      if (length == 0) {
        readLine();
      }
    } else {
      long left = Long.parseLong(head.values("Content-Length").get(0));
      while (left > 0 && body.size() <= limit) {
        int part = (int) Math.min(left, CHUNK);
        body.writeBytes(readFully(part));
        left -= part;
      }
    }
    return body.size() > limit ? null : body.toByteArray();
  }

  private int chunkLength() throws IOException {
    return Integer.parseInt(readLine(), 16);
  }

  private byte[] readFully(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the body ends early");
    }
    return bytes;
  }

  private String readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the head ends early");
      }
      sawByte = true;
      line.write(c);
    }
    return line.toString(StandardCharsets.ISO_8859_1).replace("\r", "");
  }

  void patience(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
