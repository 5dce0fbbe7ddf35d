package dev.steadfast.retry.torture;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;

/** Where one client connects to the proxy. Safe for use by many threads. */
final class ProxyPort {
  // Below the ports of outgoing connections, so that none takes the port while it is closed.
  private static final int FIRST_PORT = 15_000;
  private static final int END_OF_PORTS = 30_000;

  private final Proxy proxy;
  private final int client;
  private final Executor threads;
  private final int port;
  private final Set<Socket> open = new HashSet<>();
  private ServerSocket listener;

  ProxyPort(Proxy proxy, int client, Executor threads) throws IOException {
    this.proxy = proxy;
    this.client = client;
    this.threads = threads;
    this.listener = anyFree();
    this.port = listener.getLocalPort();
    ServerSocket first = listener;
    threads.execute(() -> accept(first));
  }

  private static ServerSocket anyFree() throws IOException {
    while (true) {
      try {
        return listen(ThreadLocalRandom.current().nextInt(FIRST_PORT, END_OF_PORTS));
      } catch (BindException taken) {
        // try the next one
      }
    }
  }

  private static ServerSocket listen(int port) throws IOException {
    ServerSocket listener = new ServerSocket();
    listener.setReuseAddress(
        true); // connections that were cut stay known to the system for a while
    try {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return listener;
    } catch (IOException e) {
      listener.close();
      throw e;
    }
  }

  int port() {
    return port;
  }

  synchronized void open() throws IOException {
    ServerSocket next = listen(port);
    listener = next;
    threads.execute(() -> accept(next));
  }

  /** Refuses new connections, and resets the open ones. */
  synchronized void close() throws IOException {
    listener.close();
    for (Socket socket : List.copyOf(open)) {
      reset(socket);
    }
  }

  private void accept(ServerSocket from) {
    try (from) {
      while (true) {
        Socket socket = from.accept();
        socket.setTcpNoDelay(true);
        synchronized (this) {
          open.add(socket);
        }
        threads.execute(() -> serve(socket));
      }
    } catch (IOException closed) {
      // the client is cut off, or the run has ended
    }
  }

  private void serve(Socket socket) {
    try {
      new ProxyConnection(proxy, client, socket).run();
    } finally {
      synchronized (this) {
        open.remove(socket);
      }
    }
  }

  /** Closes a connection so that the other side gets an error rather than an end of stream. */
  static void reset(Socket socket) throws IOException {
    try (socket) {
      socket.setSoLinger(true, 0);
    } catch (SocketException closed) {
      // its own thread has just closed it
    }
  }
}
