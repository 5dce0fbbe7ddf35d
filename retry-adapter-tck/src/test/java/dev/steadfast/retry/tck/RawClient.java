package dev.steadfast.retry.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A client that sees the bytes and the end of the connection as they are. */
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 5_000;
  private static final int SILENCE_MILLIS = 50;
  private final Socket socket;

  RawClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  static RawClient connect(ScriptedServer server) throws IOException {
    return new RawClient(new Socket(InetAddress.getLoopbackAddress(), server.port()));
  }

  RawClient send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  RawClient get(String path) throws IOException {
    return send("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n");
  }

  RawClient post(String body) throws IOException {
    return postHead(body.length(), "").send(body);
  }

  RawClient postHead(int length, String fields) throws IOException {
    return send(
        "POST /post HTTP/1.1\r\nHost: test\r\nContent-Length: "
            + length
            + "\r\n"
            + fields
            + "\r\n");
  }

  /** Everything up to and including the next empty line. */
  String readHead() throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append(read(1));
    }
    return head.toString();
  }

  String read(int count) throws IOException {
    byte[] bytes = socket.getInputStream().readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("only " + bytes.length + " of " + count + " bytes");
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Everything up to the FIN; fails on a reset. */
  String readToEnd() throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  void assertClosedWithoutByte() throws IOException {
    assertEquals("", readToEnd());
  }

  void assertReset() {
    IOException e = assertThrows(SocketException.class, this::readToEnd);
    assertTrue(e.getMessage().contains("reset"), e::toString);
  }

  void assertSilence() throws IOException {
    socket.setSoTimeout(SILENCE_MILLIS);
    assertThrows(SocketTimeoutException.class, () -> read(1));
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  /** Leaves. */
  @Override
  public void close() throws IOException {
    socket.close();
  }
}
