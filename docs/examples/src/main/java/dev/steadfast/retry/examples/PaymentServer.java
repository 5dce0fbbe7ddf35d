package dev.steadfast.retry.examples;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;

/**
 * HTTP/1.1 on loopback, on bare sockets: no server library closes a connection without an answer
 * when told to. One thread per connection, bodies by {@code Content-Length}, and no more than that.
 */
final class PaymentServer implements AutoCloseable {
  private static final int BACKLOG = 512; // all clients of a run may connect at once

  private final Function<Order, Reply> handler;
  private final ExecutorService threads = DemoThreads.cached("server");
  private final Queue<AutoCloseable> open = new ConcurrentLinkedQueue<>();
  private final URI address;

  PaymentServer(Function<Order, Reply> handler) throws IOException {
    this.handler = handler;
    this.address = listen(0);
  }

  URI address() {
    return address;
  }

  /** Listens on a further port; 0 for any. */
  URI listen(int port) throws IOException {
    ServerSocket listening = new ServerSocket();
    listening.setReuseAddress(true);
    listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
    open.add(listening);
    threads.execute(() -> accept(listening));
    return URI.create("http://127.0.0.1:" + listening.getLocalPort());
  }

  private void accept(ServerSocket listening) {
    try {
      while (true) {
        Socket socket = listening.accept();
        open.add(socket);
        threads.execute(() -> converse(socket));
      }
    } catch (IOException closed) {
      // the run is over
    }
  }

  private void converse(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      OutputStream out = new BufferedOutputStream(socket.getOutputStream());
      boolean more = true;
      while (more) {
        Order order = read(in);
        more = order != null && answer(handler.apply(order), out);
      }
    } catch (IOException gone) {
      // the client gave up on this connection, as clients do
    } finally {
      open.remove(socket);
    }
  }

  /** Returns null at the end of the connection. */
  private static Order read(InputStream in) throws IOException {
    String start = line(in);
    if (start.isEmpty()) {
      return null;
    }
    Map<String, String> headers = new HashMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    return new Order(start.split(" ", 3)[1], headers, body);
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

  /** Returns whether the connection stays open. */
  private static boolean answer(Reply reply, OutputStream out) throws IOException {
    DemoThreads.sleep(reply.delay());
    if (reply.ending() == Reply.Ending.SILENCE) {
      return false;
    }
    byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
    StringBuilder head = new StringBuilder("HTTP/1.1 " + reply.status() + " \r\n");
    reply.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    head.append("Content-Length: " + body.length + "\r\n\r\n");
    out.write(head.toString().getBytes(StandardCharsets.US_ASCII));
    out.write(body);
    out.flush();
    return reply.ending() == Reply.Ending.KEEP;
  }

  @Override
  public void close() {
    threads.shutdown();
    open.forEach(DemoThreads::closeQuietly);
  }
}
