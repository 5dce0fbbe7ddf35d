package dev.steadfast.retry.tck.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Passes the bytes of connections on to a server on loopback until it is told to swallow them: as a
 * firewall does that has forgotten a connection, or a node that has died. Nobody gets a FIN or a
 * RST. Swallowed bytes are kept, and passed on if the connection comes back.
 */
public final class SwallowingProxy implements AutoCloseable {
  /** The direction of the bytes that are swallowed. */
  public enum Swallowed {
    /** The bytes that clients send. */
    REQUESTS,
    /** The bytes that the server sends. */
    ANSWERS,
    /** All bytes. */
    ALL
  }

  private final ServerSocket listening;
  private volatile int server;
  private final List<Link> links = new CopyOnWriteArrayList<>();
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();
  private volatile boolean swallowsNew;

  private SwallowingProxy(ServerSocket listening, int server) {
    this.listening = listening;
    this.server = server;
  }

  /**
   * Starts a proxy on loopback.
   *
   * @param server the port of the server
   * @return a proxy that swallows nothing
   */
  public static SwallowingProxy before(int server) {
    try {
      ServerSocket socket = new ServerSocket(0, 2_000, InetAddress.getLoopbackAddress());
      SwallowingProxy proxy = new SwallowingProxy(socket, server);
      start(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The port that clients connect to.
   *
   * @return the port
   */
  public int port() {
    return listening.getLocalPort();
  }

  /**
   * Swallows bytes of the connections that are open now. New ones work.
   *
   * @param what which bytes
   */
  public void swallow(Swallowed what) {
    links.forEach(link -> link.swallow(what));
  }

  /**
   * Whether new connections are swallowed from their first byte on.
   *
   * @param swallow true: not even a TLS handshake ends
   */
  public void swallowNew(boolean swallow) {
    swallowsNew = swallow;
  }

  /**
   * Leads new connections to another server. Those that are open stay.
   *
   * @param other the port of that server
   */
  public void leadNewTo(int other) {
    server = other;
  }

  /** Passes everything on again, with what was swallowed. */
  public void comeBack() {
    swallowsNew = false;
    links.forEach(Link::comeBack);
  }

  /**
   * How many connections clients have opened.
   *
   * @return the number, with those that are closed
   */
  public int opened() {
    return opened.get();
  }

  /**
   * Waits until clients have opened so many connections.
   *
   * @param number how many, with those that are closed
   * @throws AssertionError if they have not within 20 s
   */
  public void awaitOpened(int number) {
    long end = System.nanoTime() + SilentPaths.LONG.toNanos();
    while (opened() < number) {
      if (System.nanoTime() > end) {
        throw new AssertionError(opened() + " connections were opened (expected: " + number + ")");
      }
      Thread.onSpinWait();
    }
  }

  /**
   * The most connections of clients that were open at a time.
   *
   * @return the number
   */
  public int peak() {
    return peak.get();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        opened.incrementAndGet();
        Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), server));
        if (swallowsNew) {
          link.swallow(Swallowed.ALL);
        }
        links.add(link);
        peak.accumulateAndGet(links.size(), Math::max);
        start(() -> link.pump(link.client, link.server, Swallowed.REQUESTS));
        start(() -> link.pump(link.server, link.client, Swallowed.ANSWERS));
      } catch (IOException closed) {
        // the loop ends if it was the proxy
      }
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "swallowing-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    closed(listening);
    links.forEach(Link::close);
  }

  private static void closed(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception ignored) {
      // it is not used again
    }
  }

  /** A connection of a client, and its own to the server. */
  private final class Link {
    private final Socket client;
    private final Socket server;
    private @Nullable Swallowed swallowed; // null: nothing; guarded by this
    private boolean over; // guarded by this

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    synchronized void swallow(Swallowed what) {
      swallowed = what;
    }

    synchronized void comeBack() {
      swallowed = null;
      notifyAll();
    }

    private synchronized boolean awaitPassage(Swallowed direction) {
      while (!over && (swallowed == Swallowed.ALL || swallowed == direction)) {
        try {
          wait();
        } catch (InterruptedException e) {
          return false;
        }
      }
      return !over;
    }

    private void pump(Socket from, Socket to, Swallowed direction) {
      byte[] bytes = new byte[16 * 1024];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        int count = in.read(bytes);
        while (count >= 0 && awaitPassage(direction)) {
          out.write(bytes, 0, count);
          count = in.read(bytes);
        }
      } catch (IOException gone) {
        // closing tells the other side
      }
      close();
    }

    void close() {
      synchronized (this) {
        over = true;
        notifyAll();
      }
      links.remove(this);
      closed(client);
      closed(server);
    }
  }
}
