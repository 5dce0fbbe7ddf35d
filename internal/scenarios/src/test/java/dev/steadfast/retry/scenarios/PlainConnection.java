package dev.steadfast.retry.scenarios;

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

/** One HTTP/1.1 connection that resends nothing and hides nothing. */
final class PlainConnection {
  private static final int CHUNK = 16 * 1024;

  private final Socket socket;
  private final InputStream in;
  private boolean sawByte;

  /** A response whose body is still to be read. */
  record Head(int status, Map<String, List<String>> headers) {
    List<String> values(String name) {
      return headers.entrySet().stream()
          .filter(line -> line.getKey().equalsIgnoreCase(name))
          .flatMap(line -> line.getValue().stream())
          .toList();
    }
  }

  PlainConnection(URI uri) throws IOException {
    this.socket = new Socket(uri.getHost(), uri.getPort());
    this.in = new BufferedInputStream(socket.getInputStream());
    socket.setTcpNoDelay(true);
  }

  void send(String head, byte[] body, boolean chunked) throws IOException {
    sawByte = false;
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    message.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
    if (chunked) {
      message.writeBytes(
          (Integer.toHexString(body.length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      message.writeBytes(body);
      message.writeBytes("\r\n0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
    } else {
      message.writeBytes(body);
    }
    socket.getOutputStream().write(message.toByteArray());
  }

  Head readHead() throws IOException {
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
