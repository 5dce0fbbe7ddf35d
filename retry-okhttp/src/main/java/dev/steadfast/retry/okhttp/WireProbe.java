package dev.steadfast.retry.okhttp;

import java.io.IOException;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * The last network interceptor: sees each request as it goes over the wire, and what comes back.
 * The request counts as the user's interceptors have made it by then.
 */
final class WireProbe implements Interceptor {
  private final LiveCalls registry;

  WireProbe(LiveCalls registry) {
    this.registry = registry;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    WireTrace wire = registry.get(chain.call());
    if (wire == null) {
      return chain.proceed(chain.request());
    }
    return wire.isOnDeadConnection()
        ? onDeadConnection(chain, wire)
        : probed(chain, chain.request(), wire);
  }

  /** Proceeds where nothing can be sent, and marks the failure that says so. */
  static Response onDeadConnection(Chain chain, WireTrace wire) throws IOException {
    try {
      return chain.proceed(UnsentBody.inPlaceOf(chain.request(), wire.callersBody()));
    } catch (IOException closed) {
      wire.failed(closed);
      throw closed;
    }
  }

  /** Passes a request on to the wire. */
  static Response probed(Chain chain, Request request, WireTrace wire) throws IOException {
    Connection connection = chain.connection();
    if (connection != null) {
      wire.on(connection);
    }
    if (!wire.goesOn()) {
      Response before = wire.head();
      int status = before == null ? -1 : before.code();
      wire.operation().adviseOnResend(status, wire.log.disposition());
    }
    Request watched = watched(request, wire);
    wire.sending(request);
    try {
      Response response = shown(chain.proceed(watched), request, watched);
      wire.answered(response);
      wire.alive();
      return response;
    } catch (IOException failure) {
      wire.failed(failure);
      throw failure;
    }
  }

  private static Request watched(Request request, WireTrace wire) throws IOException {
    CallersBody body = wire.callersBody();
    try {
      return body == null ? request : body.watched(request, wire);
    } catch (IOException changed) {
      wire.leaveBody(changed);
      wire.failed(changed);
      throw changed;
    }
  }

  /** The response with the request as it was before its body was watched. */
  private static Response shown(Response response, Request request, Request watched) {
    return watched == request ? response : response.newBuilder().request(request).build();
  }
}
