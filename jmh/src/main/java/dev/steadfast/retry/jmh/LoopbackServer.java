package dev.steadfast.retry.jmh;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An HTTP/1.1 server on loopback for requests without body, one at a time on a connection. It
 * shares the process with the clients, so it makes nothing per request that would count as theirs.
 */
final class LoopbackServer implements AutoCloseable {
  static final byte[] OK = answer("200 OK");
  static final byte[] UNAVAILABLE = answer("503 Service Unavailable");

  private static final int BACKLOG = 512;
  private static final int LARGEST_HEAD = 8192;

  /** Chooses an answer by the request's head, on the thread of the connection. */
  @FunctionalInterface
  interface Answers {
    byte[] to(byte[] head, int length);
  }

  private final ServerSocket listener;
  private final Answers answers;
  private final AtomicInteger accepted = new AtomicInteger();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  LoopbackServer(Answers answers) {
    this.answers = answers;
    try {
      this.listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    daemon(this::accept);
  }

  private static byte[] answer(String status) {
    String text = "HTTP/1.1 " + status + "\r\nContent-Length: 2\r\n\r\nok";
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "loopback-server");
    thread.setDaemon(true);
    thread.start();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort() + path);
  }

  /** How many connections clients have opened so far. */
  int connections() {
    return accepted.get();
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket socket = listener.accept();
        accepted.incrementAndGet();
        open.add(socket);
        daemon(() -> serve(socket));
      }
    } catch (IOException closed) {
      // The listener was closed.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = socket.getInputStream();
      byte[] head = new byte[LARGEST_HEAD];
      int length = readHead(in, head);
      while (length > 0) {
        socket.getOutputStream().write(answers.to(head, length));
        length = readHead(in, head);
      }
    } catch (IOException broken) {
      // The client has gone, or the server was closed.
    } finally {
      open.remove(socket);
    }
  }

  private static int readHead(InputStream in, byte[] head) throws IOException {
    int length = 0;
    while (!ends(head, length)) {
      int read = in.read(head, length, head.length - length);
      if (read <= 0) {
        return -1;
      }
      length += read;
    }
    return length;
  }

  private static boolean ends(byte[] head, int length) {
    return length >= 4
        && head[length - 1] == '\n'
        && head[length - 2] == '\r'
        && head[length - 3] == '\n'
        && head[length - 4] == '\r';
  }

  /** Closes the listener and all connections; their threads end by themselves. */
  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
