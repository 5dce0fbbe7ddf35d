package dev.steadfast.retry.tck;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Puts replies on the wire. */
final class ReplyWriter {
  private static final int CHUNK = 1024;
  private final OutputStream out;

  ReplyWriter(OutputStream out) {
    this.out = out;
  }

  void informational(String head) throws IOException {
    send(latin1(head));
  }

  /** Sends what there is of the answer in one write, so that no client sees less by chance. */
  void reply(Parts parts, boolean head, boolean announceClose) throws IOException {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    if (!parts.bare()) {
      message.writeBytes(latin1(head(parts, announceClose)));
    }
    if (hasContent(parts, head)) {
      message.writeBytes(parts.chunked && !parts.bare() ? chunks(parts) : parts.body);
    }
    send(message.toByteArray());
  }

  /** Sends chunks until the client has left; a write to a closed socket ends it as well. */
  void endless(Parts parts, boolean head, ClientInput input) throws IOException {
    byte[] chunk = chunk(new byte[CHUNK], 0, CHUNK);
    while (hasContent(parts, head) && !input.ended()) {
      send(chunk);
    }
  }

  private static boolean hasContent(Parts parts, boolean head) {
    return parts.bare() || (!head && parts.status != 204 && parts.status != 304);
  }

  private static String head(Parts parts, boolean announceClose) {
    StringBuilder head = new StringBuilder();
    head.append("HTTP/1.1 ").append(parts.status).append(' ').append(parts.reason).append("\r\n");
    for (Map.Entry<String, String> field : parts.headers) {
      head.append(field.getKey()).append(": ").append(field.getValue()).append("\r\n");
    }
    if (announceClose && !has(parts, "Connection")) {
      head.append("Connection: close\r\n");
    }
    boolean framed = has(parts, "Content-Length") || has(parts, "Transfer-Encoding");
    if (hasContent(parts, false) && !framed) {
      head.append(framing(parts)).append("\r\n");
    }
    return head.append("\r\n").toString();
  }

  private static String framing(Parts parts) {
    if (parts.chunked) {
      return "Transfer-Encoding: chunked";
    }
    long length = parts.declaredLength >= 0 ? parts.declaredLength : parts.body.length;
    return "Content-Length: " + length;
  }

  private static boolean has(Parts parts, String name) {
    return !Received.values(parts.headers, name).isEmpty();
  }

  private static byte[] chunks(Parts parts) {
    ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    for (int at = 0; at < parts.body.length; at += CHUNK) {
      chunks.writeBytes(chunk(parts.body, at, Math.min(CHUNK, parts.body.length - at)));
    }
    if (!parts.incomplete()) {
      chunks.writeBytes(latin1("0\r\n\r\n"));
    }
    return chunks.toByteArray();
  }

  private static byte[] chunk(byte[] bytes, int offset, int length) {
    ByteArrayOutputStream chunk = new ByteArrayOutputStream();
    chunk.writeBytes(latin1(Integer.toHexString(length) + "\r\n"));
    chunk.write(bytes, offset, length);
    chunk.writeBytes(latin1("\r\n"));
    return chunk.toByteArray();
  }

  private void send(byte[] bytes) throws IOException {
    if (bytes.length > 0) {
      out.write(bytes);
      out.flush();
    }
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
