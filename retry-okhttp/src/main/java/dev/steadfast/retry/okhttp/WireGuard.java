package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.internal.http2.ConnectionShutdownException;

/**
 * The first network interceptor: makes every delivery an attempt of ours.
 *
 * <p>OkHttp resends requests under its caller: after a failure on a pooled connection, after some
 * HTTP/2 resets, on 408, and on 503 with {@code Retry-After: 0}, whatever the method. All of that
 * happens above this interceptor, so it hides the hints and makes failures final for OkHttp; {@link
 * Wires#send} gives the originals back. Address fallback, redirects and authentication go on: they
 * are decided before the request is sent, or by other statuses.
 */
final class WireGuard implements Interceptor {
  private final Wires wires;

  WireGuard(Wires wires) {
    this.wires = wires;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    WireState wire = wires.get(chain.call());
    Connection connection = chain.connection();
    if (wire == null || connection == null) {
      return chain.proceed(chain.request());
    }
    boolean reused = wires.reused(connection);
    if (reused && !wire.replayable() && closedByServer(connection)) {
      IOException stale = new IOException("the server closed the connection while it was idle");
      wire.failedUnsent(stale);
      throw new Wires.Sealed(stale);
    }
    Request request = wire.withoutForeignKey(chain.request());
    wire.sending(reused);
    try {
      Response response = chain.proceed(request);
      wire.answered();
      return wire.hideFollowUp(response);
    } catch (IOException failure) {
      wire.failed(failure, failure instanceof ConnectionShutdownException);
      throw new Wires.Sealed(failure);
    }
  }

  /**
   * OkHttp looks at a pooled connection only after ten idle seconds; many servers close sooner. A
   * request that is not replayable could not be sent again after the failure, so one millisecond is
   * spent to ask first. Anything to read means the end: HTTP/1.1 has nothing to say now.
   */
  private static boolean closedByServer(Connection connection) {
    if (connection.protocol() != Protocol.HTTP_1_1 && connection.protocol() != Protocol.HTTP_1_0) {
      return false;
    }
    Socket socket = connection.socket();
    try {
      int timeout = socket.getSoTimeout();
      socket.setSoTimeout(1);
      try {
        socket.getInputStream().read();
      } finally {
        socket.setSoTimeout(timeout);
      }
    } catch (SocketTimeoutException alive) {
      return false;
    } catch (IOException dead) {
      // closed below
    }
    close(socket);
    return true;
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException ignored) {
      // it is of no use either way
    }
  }
}
