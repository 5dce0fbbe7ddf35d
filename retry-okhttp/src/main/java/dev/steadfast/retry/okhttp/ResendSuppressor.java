package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.paths.WirePath;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Makes every delivery an attempt of ours: one object, registered as the last application
 * interceptor and as the first network interceptor. Where there is no other application
 * interceptor, {@link OuterHalf} does the outer half, and where there is no other network
 * interceptor, this one is the {@link WireProbe} too: each saves a copy of OkHttp's chain.
 *
 * <p>OkHttp resends requests under its caller: after a failure on a pooled connection, after some
 * HTTP/2 resets, on 408, and on 503 with {@code Retry-After: 0}, whatever the method. All of that
 * happens between the two places, so the inner one hides the server delays and makes failures final
 * for OkHttp, and the outer one gives the originals back. Address fallback, redirects and
 * authentication go on: they are decided before the request is sent, or by other statuses. So does
 * the way to another connection where nothing was sent on the first, and the way to the host's next
 * address where the server refused the stream.
 */
final class ResendSuppressor implements Interceptor {
  private final LiveCalls registry;
  private final boolean probes; // no other network interceptor comes between this and the wire

  ResendSuppressor(LiveCalls registry, boolean probes) {
    this.registry = registry;
    this.probes = probes;
  }

  /** Puts the network half around the network interceptors that a client has. */
  static ResendSuppressor addTo(OkHttpClient.Builder builder, LiveCalls registry) {
    boolean alone = builder.networkInterceptors().isEmpty();
    ResendSuppressor guard = new ResendSuppressor(registry, alone);
    builder.networkInterceptors().add(0, guard);
    if (!alone) {
      builder.networkInterceptors().add(new WireProbe(registry));
    }
    return guard;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    WireTrace wire = registry.get(chain.call());
    Connection connection = chain.connection();
    if (connection == null) {
      return wire == null
          ? UsersOwnCall.throughOkHttp(chain, registry)
          : wire.throughOkHttp(chain, chain.request());
    }
    WirePath path = LiveCalls.path(connection);
    Response response = over(chain, connection, path, wire);
    path.answers();
    return response;
  }

  private Response over(Chain chain, Connection connection, WirePath path, @Nullable WireTrace wire)
      throws IOException {
    boolean reused = path.hasAnswered();
    if (wire == null) {
      boolean guarded = UsersOwnCall.isGuarded(chain, registry);
      boolean dead = guarded && closedByServer(connection, reused);
      return guarded ? UsersOwnCall.send(chain, registry, dead) : chain.proceed(chain.request());
    }
    registry.interceptors().networkHalfReached();
    if (!wire.enterNetworkHalf(reused)) {
      throw new NonRecoverableException(new IOException("Canceled"));
    }
    if (wire.asksFirst(chain.request(), reused) && closedByServer(connection, reused)) {
      return elsewhere(chain, wire);
    }
    wire.goesOver(SecondPool.keptAfterTimeout(connection) ? path : null);
    return inside(chain, connection, wire);
  }

  private Response inside(Chain chain, Connection connection, WireTrace wire) throws IOException {
    Request request = wire.withoutForeignHeaders(chain.request());
    try {
      Response response = probes ? WireProbe.probed(chain, request, wire) : chain.proceed(request);
      return HiddenServerDelay.hidden(response);
    } catch (IOException failure) {
      comesBack(failure, wire);
      if (wire.mayGoOn(failure, connection)) {
        throw failure;
      }
      wire.leaveNetworkHalf(failure);
      throw new NonRecoverableException(failure);
    }
  }

  /**
   * The connection is dead and closed, so proceeding fails before a byte has left, and OkHttp takes
   * another connection. A body that can be written once must not be touched for that.
   */
  private Response elsewhere(Chain chain, WireTrace wire) throws IOException {
    wire.onDeadConnection();
    RequestBody body = chain.request().body();
    if (body != null && body.isOneShot()) {
      IOException dead = new IOException("the server closed the connection while it was idle");
      wire.failed(dead);
      throw new NonRecoverableException(dead);
    }
    try {
      return probes ? WireProbe.onDeadConnection(chain, wire) : chain.proceed(chain.request());
    } catch (IOException closed) {
      comesBack(closed, wire);
      if (!wire.failedAtProbe(closed)) { // an interceptor's own: it may have sent by other means
        wire.leaveNetworkHalf(closed);
        throw new NonRecoverableException(closed);
      }
      if (probes) {
        wire.passUsersInterceptors(); // there are none, and OkHttp goes on
      }
      throw closed;
    }
  }

  private void comesBack(IOException failure, WireTrace wire) {
    if (!probes) {
      wire.comesBackToNetworkHalf(failure);
    }
  }

  /**
   * OkHttp looks at a pooled connection only after ten idle seconds; many servers close sooner. A
   * request that is not replayable could not be sent again after the failure, so a read of one
   * millisecond tests the connection first. If it yields anything, the connection is at its end: an
   * HTTP/1.1 server has nothing to send now. A connection that has carried no request of ours may
   * have been used by a plain client, so it is tested, too.
   */
  private boolean closedByServer(Connection connection, boolean reused) {
    if (connection.protocol() != Protocol.HTTP_1_1 && connection.protocol() != Protocol.HTTP_1_0) {
      return false;
    }
    Socket socket = connection.socket();
    try {
      InputStream in = socket.getInputStream();
      if (!reused && in.available() > 0) {
        return false; // the connection may be a new one, on which the server sends first
      }
      int timeout = socket.getSoTimeout();
      socket.setSoTimeout(1);
      try {
        if (in.read() >= 0 && !reused) {
          registry.interceptors().serverSpokeFirst();
        }
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
      // The socket is not used again, closed or not.
    }
  }
}
