package dev.steadfast.retry.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/**
 * A loopback port on which every connect is refused, for as long as this object is open.
 *
 * <p>The port is bound but not listening. That is better than to bind it, close it and keep the
 * number: no other program can get the port in the meantime. A client cannot get it as its own
 * local port either; it would then connect to itself instead of being refused.
 */
public final class RefusedPort implements AutoCloseable {
  private final Socket bound;

  private RefusedPort(Socket bound) {
    this.bound = bound;
  }

  /**
   * Reserves an ephemeral loopback port.
   *
   * @return the port
   */
  public static RefusedPort open() {
    Socket socket = new Socket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new RefusedPort(socket);
  }

  /**
   * The reserved port.
   *
   * @return its number
   */
  public int port() {
    return bound.getLocalPort();
  }

  /**
   * An {@code http} address that refuses connections; the path begins with a slash.
   *
   * @param path path and query
   * @return the address
   */
  public URI uri(String path) {
    return Loopback.uri("http", port(), path);
  }

  /** Gives the port back. */
  @Override
  public void close() {
    try {
      bound.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
