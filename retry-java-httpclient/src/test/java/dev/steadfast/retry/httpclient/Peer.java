package dev.steadfast.retry.httpclient;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * The other end of the wire, in the hands of the test: it reads and writes byte by byte on the
 * test's own thread. What does not come within 5 s ends in a {@code SocketTimeoutException}.
 */
final class Peer implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 20_000;
  private static final int SMALL_BUFFER = 64 * 1024;

  private final ServerSocket listener = new ServerSocket();
  private final List<Socket> connections = new ArrayList<>();

  Peer() throws IOException {
    listener.setReceiveBufferSize(SMALL_BUFFER);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    listener.setSoTimeout(PATIENCE_MILLIS);
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/");
  }

  /** Takes the next connection and reads the head of its first request. */
  String acceptRequest() throws IOException {
    Socket connection = listener.accept();
    connection.setSoTimeout(PATIENCE_MILLIS);
    connections.add(connection);
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) next());
    }
    return head.toString();
  }

  private Socket current() {
    return connections.get(connections.size() - 1);
  }

  private int next() throws IOException {
    int each = current().getInputStream().read();
    if (each < 0) {
      throw new EOFException("the client closed the connection");
    }
    return each;
  }

  /** Reads the given number of bytes of the request body. */
  void readBody(int bytes) throws IOException {
    current().getInputStream().skipNBytes(bytes);
  }

  /** Sends these bytes as they are. */
  void send(String bytes) throws IOException {
    current().getOutputStream().write(bytes.getBytes(ISO_8859_1));
  }

  /** Sends a head; the body goes on until the connection is closed. */
  void sendHead(int status) throws IOException {
    send("HTTP/1.1 " + status + " \r\nConnection: close\r\n\r\n");
  }

  void sendEmptyAnswer(int status) throws IOException {
    send("HTTP/1.1 " + status + " \r\nContent-Length: 0\r\n\r\n");
  }

  void closeConnection() throws IOException {
    current().close();
  }

  /** Whether the client has closed the connection; looks for a moment. */
  boolean leftByClient() throws IOException {
    Socket connection = current();
    connection.setSoTimeout(1);
    try {
      InputStream in = connection.getInputStream();
      return in.read() < 0;
    } catch (SocketTimeoutException open) {
      return false;
    } catch (SocketException reset) {
      return true;
    } finally {
      connection.setSoTimeout(PATIENCE_MILLIS);
    }
  }

  /** How many connections were taken. */
  int accepted() {
    return connections.size();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket each : connections) {
      each.close();
    }
  }
}
