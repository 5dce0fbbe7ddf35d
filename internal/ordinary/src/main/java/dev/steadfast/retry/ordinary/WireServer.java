package dev.steadfast.retry.ordinary;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A server for HTTP/1 on raw sockets: it records each header line as it came, and a handler writes
 * what it likes. The body of a request is read before the handler runs, unless the server is {@link
 * #lazy}.
 */
public final class WireServer implements Server {
  private final Handler handler;
  private final boolean lazy;
  private final @Nullable SSLContext tls;
  private final List<ServerSocket> listeners = new ArrayList<>();
  private final List<Socket> sockets = new ArrayList<>();
  private final List<Exchange> exchanges = new ArrayList<>();
  private final List<Throwable> problems = new ArrayList<>();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicInteger busy = new AtomicInteger();
  private int connections;
  private volatile boolean closed;

  private WireServer(Handler handler, boolean lazy, @Nullable SSLContext tls) {
    this.handler = handler;
    this.lazy = lazy;
    this.tls = tls;
    listen();
    listen();
  }

  /** Answers a request. */
  @FunctionalInterface
  public interface Handler {
    /** Writes the answer. An exception ends the connection. */
    void handle(Exchange exchange) throws IOException, InterruptedException;
  }

  /** Starts a server for {@code http}. */
  public static WireServer start(Handler handler) {
    return new WireServer(handler, false, null);
  }

  /** Starts a server whose handler reads the body, or leaves it. */
  public static WireServer lazy(Handler handler) {
    return new WireServer(handler, true, null);
  }

  /** Starts a server for {@code https}, with the certificate of {@link Tls}. */
  public static WireServer secure(Handler handler) {
    return new WireServer(handler, false, Tls.server());
  }

  private void listen() {
    try {
      ServerSocket listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
      listeners.add(listener);
      daemon("wire-server-" + listener.getLocalPort(), () -> accept(listener));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public URI uri(String path) {
    return uri(listeners.get(0), path);
  }

  /** An address of another origin, with the same handler. */
  public URI otherUri(String path) {
    return uri(listeners.get(1), path);
  }

  /** The port of {@link #uri}. */
  public int port() {
    return listeners.get(0).getLocalPort();
  }

  private URI uri(ServerSocket listener, String path) {
    String scheme = tls == null ? "http" : "https";
    return URI.create(scheme + "://127.0.0.1:" + listener.getLocalPort() + path);
  }

  /** Lets handlers go on that wait in {@link Exchange#awaitGate}. */
  public void openGate() {
    gate.countDown();
  }

  void awaitGate() throws InterruptedException {
    Run.await(gate);
  }

  /** Waits until as many requests have arrived with their heads, bodies apart. */
  public synchronized void awaitRequests(int count) throws InterruptedException {
    long end = System.nanoTime() + Run.LIMIT_SECONDS * 1_000_000_000L;
    while (exchanges.size() < count) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new AssertionError(exchanges.size() + " requests instead of " + count);
      }
      wait(left);
    }
  }

  private void accept(ServerSocket listener) {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        int number;
        synchronized (this) {
          number = ++connections;
          sockets.add(socket);
        }
        busy.incrementAndGet();
        daemon("wire-server-connection-" + number, () -> serve(socket, number));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          problem(e);
        }
      }
    }
  }

  /** Serves one connection; it counts as busy, except while it waits for the head of a request. */
  private void serve(Socket raw, int number) {
    boolean counted = true;
    try (raw) {
      Wire wire = new Wire(tls == null ? raw : layered(raw, tls));
      while (!wire.closed()) {
        busy.decrementAndGet();
        counted = false;
        int first = wire.in().read();
        if (first < 0) {
          return;
        }
        busy.incrementAndGet();
        counted = true;
        Exchange exchange = Exchange.read(this, wire, number, (char) first);
        if (!lazy) {
          exchange.readBody();
        }
        handler.handle(exchange);
        wire.out().flush();
      }
    } catch (IOException e) {
      // The client left, or the handler had the connection end so.
    } catch (InterruptedException | RuntimeException | Error e) {
      problem(e);
    } finally {
      if (counted) {
        busy.decrementAndGet();
      }
    }
  }

  static SSLSocket layered(Socket raw, SSLContext context) throws IOException {
    SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(raw, null, true);
    socket.startHandshake();
    return socket;
  }

  synchronized int arrived(Exchange exchange) {
    exchanges.add(exchange);
    notifyAll();
    return exchanges.size();
  }

  private synchronized void problem(Throwable problem) {
    if (!closed) {
      problems.add(problem);
    }
  }

  @Override
  public void settle() throws InterruptedException {
    gate.countDown(); // what waits for a program that has ended
    long end = System.nanoTime() + Run.LIMIT_SECONDS * 1_000_000_000L;
    while (busy.get() > 0 && System.nanoTime() < end) {
      LockSupport.parkNanos(100_000);
    }
  }

  @Override
  public synchronized void report(Observation seen, boolean ordered) {
    exchanges.forEach(each -> each.report(seen, ordered));
    problems.forEach(each -> seen.note("server problems", Text.of(each)));
    if (ordered) {
      seen.note("connections", connections + " connections");
    } else {
      List.of("requests", "headers", "bodies").forEach(seen::sort);
    }
  }

  @Override
  public void nameIn(Observation seen) {
    seen.name(":" + listeners.get(0).getLocalPort(), ":PORT");
    seen.name(":" + listeners.get(1).getLocalPort(), ":OTHER");
  }

  @Override
  public void close() {
    List<AutoCloseable> all = new ArrayList<>();
    synchronized (this) {
      closed = true;
      all.addAll(listeners);
      all.addAll(sockets);
    }
    gate.countDown();
    for (AutoCloseable each : all) {
      try {
        each.close();
      } catch (Exception e) {
        // It is closed all the same.
      }
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** The two directions of a connection; TLS may begin within it. */
  static final class Wire {
    private Socket socket;
    private InputStream in;
    private boolean closed;

    Wire(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new BufferedInputStream(socket.getInputStream());
    }

    InputStream in() {
      return in;
    }

    java.io.OutputStream out() throws IOException {
      return socket.getOutputStream();
    }

    void startTls(SSLContext context) throws IOException {
      socket = layered(socket, context);
      in = new BufferedInputStream(socket.getInputStream());
    }

    void end() {
      closed = true;
    }

    boolean closed() {
      return closed;
    }
  }
}
