package dev.steadfast.retry.soak;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Answers {@code /size/N} with that many bytes of text, {@code /silent} with nothing, {@code
 * /quota} with 200 or 429 by a quota that its headers tell of, and {@code /faulty/N} with faults of
 * all kinds, by chance. A connection ends after a time without requests.
 */
public final class FaultServer {
  private static final int IDLE_MILLIS = 8_000;
  private static final byte[] LINE =
      "a line of the server's answer\n".getBytes(StandardCharsets.UTF_8);

  private final AtomicInteger connections = new AtomicInteger();
  private final Quota quota = new Quota();

  private FaultServer() {}

  /** Prints the port, and the number of connections for each byte of the input. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] args) throws IOException {
    FaultServer server = new FaultServer();
    try (ServerSocket listener = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress())) {
      daemon(() -> server.accept(listener));
      System.out.println(listener.getLocalPort());
      while (System.in.read() >= 0) {
        System.out.println(server.connections.get());
      }
    }
  }

  private static void daemon(Runnable body) {
    Thread thread = new Thread(null, body, "server", 64 * 1024);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept(ServerSocket listener) {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        connections.incrementAndGet();
        daemon(() -> serve(socket));
      } catch (IOException e) {
        // The client has left.
      }
    }
  }

  private void serve(Socket raw) {
    try (Socket socket = raw) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      boolean open = true;
      while (open) {
        socket.setSoTimeout(IDLE_MILLIS);
        String path = request(in);
        open = path != null && answer(path, new Connection(socket, in));
      }
    } catch (IOException | InterruptedException e) {
      // The client has left, or the fault was to be so.
    } finally {
      connections.decrementAndGet();
    }
  }

  /** Reads a request. Returns its path, null if there is none. */
  private static String request(InputStream in) throws IOException {
    String first = line(in);
    if (first.isEmpty()) {
      return null;
    }
    long length = 0;
    for (String each = line(in); !each.isEmpty(); each = line(in)) {
      if (each.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Long.parseLong(each.substring(15).trim());
      }
    }
    in.skipNBytes(length);
    return first.split(" ", 3)[1];
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  /** Returns whether the connection stays. */
  private boolean answer(String path, Connection to) throws IOException, InterruptedException {
    int size = Integer.parseInt(path.replaceAll("[^0-9]", "0"));
    if (path.startsWith("/silent")) {
      return to.silence(60_000);
    }
    if (path.startsWith("/quota")) {
      return quota.answer(to);
    }
    if (!path.startsWith("/faulty")) {
      return to.body(size);
    }
    return switch (ThreadLocalRandom.current().nextInt(20)) {
      case 0, 1 -> to.head("503 Unavailable", "", 0);
      case 2 -> to.head("429 Slow down", "Retry-After: 0\r\n", 0);
      case 3 -> to.head("429 Slow down", "Retry-After: 1\r\n", 0);
      case 4 -> to.head("503 Unavailable", "", 300) && to.bytes(300);
      case 5 -> to.reset();
      case 6 -> to.head("200 OK", "", size + 1) && to.bytes(size) && to.end();
      case 7 -> to.head("200 OK", "", size + 1) && to.bytes(size / 2) && to.reset();
      case 8 -> to.silence(3_000);
      case 9 -> to.head("200 OK", "", size + 1) && to.bytes(size / 2) && to.silence(3_000);
      case 10 -> to.pause(ThreadLocalRandom.current().nextInt(1_000)) && to.body(size);
      case 11, 12 -> to.slowBody(size);
      case 13 -> to.pause(ThreadLocalRandom.current().nextInt(50)) && to.body(size);
      default -> to.body(size);
    };
  }

  /** So many requests are taken in each second, and the others refused. */
  private static final class Quota {
    private static final int MOST = 1_000;
    private static final long WINDOW_NANOS = 1_000_000_000;

    private final long startNanos = System.nanoTime();
    private long window = -1;
    private int taken; // in this window
    private int refused; // in all

    boolean answer(Connection to) throws IOException {
      boolean takes;
      String headers;
      synchronized (this) {
        long since = System.nanoTime() - startNanos;
        if (since / WINDOW_NANOS != window) {
          window = since / WINDOW_NANOS;
          taken = 0;
        }
        takes = taken < MOST;
        taken += takes ? 1 : 0;
        refused += takes ? 0 : 1;
        headers =
            "RateLimit-Policy: \"second\";q=1000;w=1\r\n"
                + ("RateLimit: \"second\";r=" + (MOST - taken) + ";t=1\r\n")
                + ("Refused: " + refused + "\r\n");
      }
      return to.head(takes ? "200 OK" : "429 Slow down", headers, 0);
    }
  }

  /** What a server can do to its client. Each returns whether the connection stays. */
  private record Connection(Socket socket, InputStream in) {
    boolean head(String status, String headers, int length) throws IOException {
      String head =
          "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + length + "\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
      return true;
    }

    boolean bytes(int count) throws IOException {
      byte[] bytes = new byte[count];
      for (int i = 0; i < count; i++) {
        bytes[i] = LINE[i % LINE.length];
      }
      socket.getOutputStream().write(bytes);
      return true;
    }

    boolean body(int size) throws IOException {
      return head("200 OK", "", size) && bytes(size);
    }

    boolean slowBody(int size) throws IOException, InterruptedException {
      OutputStream out = socket.getOutputStream();
      out.write(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      int part = size / 5 + 1;
      for (int i = 0; i < 5; i++) {
        out.write((Integer.toHexString(part) + "\r\n").getBytes(StandardCharsets.UTF_8));
        bytes(part);
        out.write("\r\n".getBytes(StandardCharsets.UTF_8));
        pause(ThreadLocalRandom.current().nextInt(60));
      }
      out.write("0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      return true;
    }

    boolean pause(int millis) throws InterruptedException {
      Thread.sleep(millis);
      return true;
    }

    /** Nothing, until the client leaves or a time is over. */
    boolean silence(int mostMillis) throws IOException {
      socket.setSoTimeout(mostMillis);
      try {
        int ignored = in.read();
      } catch (SocketTimeoutException over) {
        return false;
      }
      return false;
    }

    boolean end() {
      return false;
    }

    boolean reset() throws IOException {
      socket.setSoLinger(true, 0);
      return false;
    }
  }
}
