package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Another address of loopback for a server: passes the bytes on, and FIN, in both directions. */
final class SecondAddress implements AutoCloseable {
  static final String ADDRESS = "127.0.0.2";

  private final ServerSocket listener;
  private final int port;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  SecondAddress(int port) {
    this.port = port;
    try {
      listener = new ServerSocket(port, 50, InetAddress.getByName(ADDRESS));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
        sockets.addAll(List.of(client, server));
        daemon(() -> pass(client, server));
        daemon(() -> pass(server, client));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private static void pass(Socket from, Socket to) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
      to.shutdownOutput();
    } catch (IOException e) {
      // either side left
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "second-address");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
