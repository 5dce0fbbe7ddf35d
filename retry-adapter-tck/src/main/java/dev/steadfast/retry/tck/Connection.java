package dev.steadfast.retry.tck;

import java.io.IOException;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * One client connection: its socket, its two threads (one talks, one reads ahead) and their end.
 */
final class Connection implements Runnable {
  private final int number;
  private final String name;
  private final Socket raw;
  private final Layer layer;
  private final Script script;
  private final ServerLog log;
  private final Thread handler;

  /** Used by the handler only; null before there is something to read. */
  private @Nullable Thread reader;

  private volatile boolean aborted;

  Connection(int number, String name, Socket raw, Layer layer, Script script, ServerLog log) {
    this.number = number;
    this.name = name + "-connection-" + number;
    this.raw = raw;
    this.layer = layer;
    this.script = script;
    this.log = log;
    this.handler = Threads.daemon(this.name, this);
  }

  /** The layer between the TCP connection and HTTP: nothing or TLS. */
  interface Layer {
    Socket over(Socket raw) throws IOException;
  }

  void start() {
    log.opened(this);
    handler.start();
  }

  /** Ends the connection from outside, whatever its threads are doing. */
  void abort() {
    aborted = true;
    closeSocket();
    if (!isCurrentThread()) {
      handler.interrupt(); // A hook of the test may be waiting.
    }
  }

  int number() {
    return number;
  }

  Thread handler() {
    return handler;
  }

  /** Whether a hook or a route, run by this connection, is asking. */
  boolean isCurrentThread() {
    return handler.equals(Thread.currentThread());
  }

  @Override
  public void run() {
    try {
      converse();
    } catch (IOException e) {
      // The client left or the server closes. Either ends the connection and is no news.
    } catch (RuntimeException | Error e) {
      // Told before the client can see the end, so that a test that has seen it finds the problem.
      if (!aborted) {
        log.problem(e);
      }
    } finally {
      closeSocket();
      if (reader != null) {
        // While the reader is inside, the system may not have closed the socket, nor sent the RST.
        Threads.join(reader);
      }
      log.closed(this);
    }
  }

  private void converse() throws IOException {
    raw.setTcpNoDelay(true);
    Socket socket = layer.over(raw);
    ClientInput input = new ClientInput(socket.getInputStream());
    reader = Threads.daemon(name + "-reader", input);
    reader.start();
    Conversation conversation =
        new Conversation(number, input, socket.getOutputStream(), script, log);
    part(conversation.run(), socket, input);
  }

  private void closeSocket() {
    try {
      raw.close();
    } catch (IOException e) {
      log.problem(e);
    }
  }

  private void part(Conversation.Farewell farewell, Socket socket, ClientInput input)
      throws IOException {
    if (farewell == Conversation.Farewell.RESET) {
      raw.setSoLinger(true, 0);
      return; // No alert of TLS either: the raw socket is closed beneath it.
    }
    socket.shutdownOutput();
    if (farewell == Conversation.Farewell.LINGER) {
      input.discard();
      input.awaitEnd();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
