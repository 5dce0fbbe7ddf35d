package dev.steadfast.retry.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/**
 * A port of the server that refuses connections until it is opened: a server that restarts.
 *
 * <p>Until then the port is bound by a socket that does not listen, so no other program can get it.
 */
final class LatePort implements AutoCloseable {
  private final PaymentServer server;
  private final Socket holder = new Socket();
  private final int port;
  private boolean opened;

  LatePort(PaymentServer server) {
    this.server = server;
    try {
      holder.setReuseAddress(true);
      holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.port = holder.getLocalPort();
  }

  int port() {
    return port;
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Lets clients in; from the second call on nothing happens. */
  synchronized void open() {
    if (opened) {
      return;
    }
    try {
      server.listen(port);
      holder.close();
      opened = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    DemoThreads.closeQuietly(holder);
  }
}
