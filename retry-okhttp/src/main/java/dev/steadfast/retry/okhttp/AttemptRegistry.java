package dev.steadfast.retry.okhttp;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The attempts of a client that are under way, by OkHttp's call; and what is known of the client's
 * interceptors.
 *
 * <p>A registry and not a request tag: an authenticator may answer with a request of its own
 * making, and a tag would cost a copy of every request.
 */
final class AttemptRegistry {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  // Of the process: clients that are derived from each other share their connections.
  private static final Set<Connection> USED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final Map<Call, WireTrace> underWay = new ConcurrentHashMap<>();
  private final boolean complete;
  private final AtomicBoolean bypassed = new AtomicBoolean();

  private AttemptRegistry(boolean complete) {
    this.complete = complete;
  }

  /** Of a client that is derived here: all of its interceptors are known. */
  static AttemptRegistry ofDerivedClient() {
    return new AttemptRegistry(true);
  }

  /** Of a client that the user goes on building, and copies. */
  static AttemptRegistry ofUsersClient() {
    return new AttemptRegistry(false);
  }

  /**
   * Whether an exception that left the outer half is OkHttp's own, where no request has reached the
   * probe. In a client that is derived here it is. A client that the user goes on building may have
   * interceptors further within, or may have lost the {@link ResendSuppressor}. Of such a client
   * the exception must say that the server of the request was not reached; and once an answer has
   * come that the probe did not see, no exception counts as OkHttp's own.
   *
   * @param asked the URL of the request
   */
  boolean okHttpsOwn(Throwable thrown, HttpUrl asked) {
    return complete || (!bypassed.get() && OkHttpErrors.notConnectedTo(asked, thrown));
  }

  /** Whether the probe sees all requests, as far as is known. */
  boolean probeSeesAll() {
    return complete || !bypassed.get();
  }

  /** An answer came from the network that the probe did not see. */
  void answeredByOtherMeans() {
    if (bypassed.compareAndSet(false, true)) {
      LOG.warn(
          "an answer came from the network past Steadfast's network interceptor: an interceptor"
              + " sends requests by other means, or the client was copied without its network"
              + " interceptors. Such requests count as possibly processed.");
    }
  }

  void put(Call call, WireTrace wire) {
    underWay.put(call, wire);
  }

  void remove(Call call) {
    underWay.remove(call);
  }

  @Nullable WireTrace get(Call call) {
    return underWay.get(call);
  }

  int size() {
    return underWay.size();
  }

  /** Whether a connection has carried a request before; remembers that it does now. */
  static boolean reused(Connection connection) {
    return !USED.add(connection);
  }
}
