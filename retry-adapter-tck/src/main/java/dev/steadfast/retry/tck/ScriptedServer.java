package dev.steadfast.retry.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 server on loopback that does to each request what the test has scripted.
 *
 * <p>Replies are handed out to requests in the order in which their heads arrive, over all
 * connections: first by {@link #routeByHead}, then by {@link #route}, then from the queue of {@link
 * #enqueue}, at last {@link #defaultReply}. A request is recorded when it has been read, before its
 * reply is sent; one that the client breaks off is not recorded, though it has used up its reply.
 * Pipelined requests are served one after the other.
 *
 * <p>Nothing goes wrong in silence: malformed requests, and exceptions in hooks and routes, make
 * {@link #close} throw. All methods are thread-safe.
 */
public final class ScriptedServer implements AutoCloseable {
  private static final Duration LEAK_GRACE = Duration.ofSeconds(20);

  private final ServerSocket listener;
  private final String scheme;
  private final String name;
  private final Connection.Layer layer;
  private final Script script = new Script();
  private final ServerLog log = new ServerLog();
  private final Thread acceptor;

  /** Written by the acceptor only, and read after its end. */
  private final List<Connection> connections = new ArrayList<>();

  private ScriptedServer(ServerSocket listener, String scheme, Connection.Layer layer) {
    this.listener = listener;
    this.scheme = scheme;
    this.layer = layer;
    this.name = "scripted-server-" + listener.getLocalPort();
    this.acceptor = Threads.daemon(name + "-acceptor", this::accept);
  }

  /**
   * Starts a server for {@code http} on an ephemeral port of the loopback address.
   *
   * @return a server that listens
   * @throws UncheckedIOException if no port is to be had
   */
  public static ScriptedServer start() {
    return start("http", raw -> raw);
  }

  /**
   * Starts a server for {@code https}, without ALPN and therefore for HTTP/1.1. Its certificate
   * must be valid for the address in {@link #uri}. A handshake that fails is a connection without
   * requests, not a problem.
   *
   * @param context has the certificate and its key
   * @return a server that listens
   * @throws UncheckedIOException if no port is to be had
   */
  public static ScriptedServer start(SSLContext context) {
    return start(
        "https",
        raw -> {
          // Layered by hand, not from an SSLServerSocket, so that a fault can act on the TCP socket
          // below TLS. This overload of createSocket is the one that makes the server's end.
          SSLSocket socket =
              (SSLSocket) context.getSocketFactory().createSocket(raw, null, /* autoClose= */ true);
          socket.startHandshake();
          return socket;
        });
  }

  private static ScriptedServer start(String scheme, Connection.Layer layer) {
    try {
      ServerSocket listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
      ScriptedServer server = new ScriptedServer(listener, scheme, layer);
      server.acceptor.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The port on which the server listens.
   *
   * @return the number of the port
   */
  public int port() {
    return listener.getLocalPort();
  }

  /**
   * An address of this server, with the numeric host; the path begins with a slash.
   *
   * @param path path and query
   * @return the address
   */
  public URI uri(String path) {
    return Loopback.uri(scheme, port(), path);
  }

  // ---- script

  /**
   * Appends replies to the script; each is used once.
   *
   * @param replies in the order of their use
   */
  public void enqueue(Reply... replies) {
    script.enqueue(List.of(replies));
  }

  /**
   * Sets the reply for requests beyond the script; at first 200 with body {@code ok}.
   *
   * @param reply used any number of times
   */
  public void defaultReply(Reply reply) {
    script.fallback(reply);
  }

  /**
   * Chooses the reply by the whole request; null leaves the choice to the script. Called on the
   * threads of the connections, so concurrently. Replies with {@link Reply#onHead} or {@link
   * Reply#withoutContinue} come too late here.
   *
   * @param decide gets the request
   */
  public void route(Function<Received, @Nullable Reply> decide) {
    script.route(decide);
  }

  /**
   * Chooses the reply by the head alone, the body being empty; null leaves the choice to {@link
   * #route} and the script. Asked for each request, before its body is read.
   *
   * @param decide gets the request without its body
   */
  public void routeByHead(Function<Received, @Nullable Reply> decide) {
    script.routeByHead(decide);
  }

  /**
   * Runs this after a request was read and recorded, and before its reply, on the thread of the
   * connection. It may wait, close the server or let the client cancel; {@link #close} interrupts
   * it.
   *
   * @param action gets the request; replaces an earlier action
   */
  public void whenRequest(Consumer<Received> action) {
    script.hook(action);
  }

  // ---- observation

  /**
   * All requests so far, in the order in which they were recorded.
   *
   * @return an immutable copy
   */
  public List<Received> requests() {
    return log.requests();
  }

  /**
   * Waits for the next request that no earlier call has returned, and returns it.
   *
   * @param limit how long to wait, in real time
   * @return the request
   * @throws AssertionError if none arrives in time
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public Received takeRequest(Duration limit) throws InterruptedException {
    return log.take(limit);
  }

  /**
   * Waits until the given number of requests has been recorded, and returns all that there are by
   * then.
   *
   * @param count how many, 0 or more
   * @param limit how long to wait, in real time
   * @return the requests
   * @throws AssertionError if too few arrive in time
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public List<Received> awaitRequests(int count, Duration limit) throws InterruptedException {
    return log.awaitRequests(count, limit);
  }

  /**
   * How many connections have been accepted so far.
   *
   * @return the number
   */
  public int connectionsAccepted() {
    return log.connectionsAccepted();
  }

  /**
   * How many connections are open: accepted, and closed by neither side. A connection that the
   * server ends no longer counts once its FIN or RST is out, so {@link #awaitNoOpenConnections}
   * tells when {@link Reply#thenClose} has happened. It waits for the client to close as well only
   * where the server leaves a body unread ({@link Reply#onHead}).
   *
   * @return the number
   */
  public int openConnections() {
    return log.openConnections();
  }

  /**
   * Waits until no connection is open.
   *
   * @param limit how long to wait, in real time
   * @throws AssertionError that names the connections if some are still open at the end
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void awaitNoOpenConnections(Duration limit) throws InterruptedException {
    log.awaitNoOpenConnections(limit);
  }

  /**
   * Waits until no request is under way: each has been replied to in full, or its connection is
   * over. Idle connections may be open; a reply that stalls keeps its request under way.
   *
   * @param limit how long to wait, in real time
   * @throws AssertionError that names what is known if there still is one at the end
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void awaitNoBusyConnections(Duration limit) throws InterruptedException {
    log.awaitNoBusyConnections(limit);
  }

  /**
   * Asserts that the client has no connection open. Waits 20 s before it fails, because the end of
   * a connection takes a moment to arrive; idle pooled connections count.
   *
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void assertNoLeaks() throws InterruptedException {
    awaitNoOpenConnections(LEAK_GRACE);
  }

  // ---- end

  /**
   * Stops listening, ends all connections, waiting replies included, and joins all threads. Called
   * from a hook or route it neither joins nor throws: that is left to the call of the test.
   *
   * @throws AssertionError if a request was malformed, or a hook or route threw; each is reported
   *     once
   */
  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Threads.join(acceptor);
    connections.forEach(Connection::abort);
    if (connections.stream().anyMatch(Connection::isCurrentThread)) {
      return;
    }
    connections.forEach(connection -> Threads.join(connection.handler()));
    List<Throwable> problems = log.takeProblems();
    if (!problems.isEmpty()) {
      AssertionError error = new AssertionError("problems at " + name + ": " + problems);
      problems.forEach(error::addSuppressed);
      throw error;
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket raw = listener.accept();
        Connection connection = new Connection(connections.size(), name, raw, layer, script, log);
        connections.add(connection);
        connection.start();
      } catch (IOException e) {
        if (!listener.isClosed()) {
          log.problem(e);
          return;
        }
      }
    }
  }
}
