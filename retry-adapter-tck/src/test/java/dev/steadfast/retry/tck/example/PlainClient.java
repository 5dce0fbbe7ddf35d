package dev.steadfast.retry.tck.example;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** The client that the example adapts. It keeps idle connections to one origin. */
public final class PlainClient {
  private static final int UNWANTED = 64 * 1024;
  private static final int UNWANTED_MILLIS = 100;

  private final Deque<PlainConnection> idle = new ArrayDeque<>();
  private final Deque<PlainConnection> all = new ArrayDeque<>();

  /** A connection that was used before ended without a byte of an answer. */
  public static final class ClosedWhileIdleException extends IOException {
    private static final long serialVersionUID = 1;

    ClosedWhileIdleException(IOException cause) {
      super(cause);
    }
  }

  /** An answer whose body is still to be read, or which is not wanted. */
  public record Response(
      PlainConnection.Head head, PlainConnection connection, PlainClient client, boolean bodiless) {

    /** Reads the body; null if it is longer than the limit, which closes nothing. */
    String read(int limit) throws IOException {
      try {
        byte[] body = connection.readBody(head, bodiless, limit);
        if (body == null) {
          return null;
        }
        if (head.values("Connection").contains("close")) {
          connection.close();
        } else {
          client.giveBack(connection);
        }
        return new String(body, StandardCharsets.UTF_8);
      } catch (IOException broken) {
        connection.close();
        throw broken;
      }
    }

    /** Reads a little for the sake of the connection, or closes it. */
    void drop() {
      try {
        connection.patience(UNWANTED_MILLIS);
        if (read(UNWANTED) == null) {
          connection.close();
        } else {
          connection.patience(0);
        }
      } catch (IOException unread) {
        connection.close();
      }
    }
  }

  /**
   * Sends a request and waits for the head of its answer.
   *
   * @param connected gets the connection, right before the request is sent on it
   */
  Response send(PlainConnection.Request request, Consumer<PlainConnection> connected)
      throws IOException {
    PlainConnection reused = pop();
    PlainConnection connection = reused == null ? connect(request.uri()) : reused;
    connected.accept(connection);
    try {
      connection.send(request);
      boolean bodiless = request.method().equals("HEAD");
      return new Response(connection.readHead(), connection, this, bodiless);
    } catch (IOException failed) {
      connection.close();
      boolean stale = reused != null && !connection.sawByte();
      throw stale ? new ClosedWhileIdleException(failed) : failed;
    }
  }

  private PlainConnection connect(URI uri) throws IOException {
    PlainConnection fresh = new PlainConnection(uri);
    synchronized (this) {
      all.add(fresh);
    }
    return fresh;
  }

  private synchronized PlainConnection pop() {
    return idle.poll();
  }

  private synchronized void giveBack(PlainConnection connection) {
    idle.push(connection);
  }

  /** Closes the connections that no call uses. */
  synchronized void closeIdle() {
    idle.forEach(PlainConnection::close);
    idle.clear();
  }

  /** Closes all connections. */
  synchronized void closeAll() {
    all.forEach(PlainConnection::close);
  }
}
