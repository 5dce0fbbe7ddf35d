package dev.steadfast.retry.httpclient;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;

/** A port that reads the beginning of each TLS handshake, and hangs up. */
final class CutHandshakes implements AutoCloseable {
  private final ServerSocket listener;

  CutHandshakes() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread acceptor = new Thread(this::accept, "cut-handshakes");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  URI uri() {
    return URI.create("https://127.0.0.1:" + listener.getLocalPort() + "/");
  }

  private void accept() {
    while (!listener.isClosed()) {
      try (Socket socket = listener.accept()) {
        // All of the hello, as a close with bytes unread would be a reset.
        byte[] header = socket.getInputStream().readNBytes(5);
        socket.getInputStream().readNBytes((header[3] & 0xff) << 8 | (header[4] & 0xff));
      } catch (IOException end) {
        // closed, or the client gave up first
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
