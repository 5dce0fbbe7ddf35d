package dev.steadfast.retry.okhttp;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a client that are under way, by OkHttp's call; and what is known of the client's
 * interceptors.
 *
 * <p>A registry and not a request tag: an authenticator may answer with a new request, which has no
 * tag. And a tag would cost a copy of every request.
 */
final class AttemptRegistry {
  // Of the process: clients that are derived from each other share their connections.
  private static final Set<Connection> USED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final Map<Call, WireTrace> underWay = new ConcurrentHashMap<>();
  private final ClientInterceptors interceptors;

  private AttemptRegistry(boolean complete) {
    interceptors = new ClientInterceptors(complete);
  }

  /** Of a client that is derived here: all of its interceptors are known. */
  static AttemptRegistry ofDerivedClient() {
    return new AttemptRegistry(true);
  }

  /** Of a client that the user goes on building, and copies. */
  static AttemptRegistry ofUsersClient() {
    return new AttemptRegistry(false);
  }

  ClientInterceptors interceptors() {
    return interceptors;
  }

  void put(Call call, WireTrace wire) {
    underWay.put(call, wire);
  }

  void remove(Call call) {
    underWay.remove(call);
  }

  /** The attempt of OkHttp's call, or of the call that a factory of the user's put around it. */
  @Nullable WireTrace get(Call call) {
    WireTrace known = underWay.get(call);
    if (known != null) {
      return known;
    }
    AttemptTag tag = call.request().tag(AttemptTag.class);
    Call around = tag == null ? null : tag.call();
    return around == null ? null : underWay.get(around);
  }

  int size() {
    return underWay.size();
  }

  /** Whether a connection has carried a request before; remembers that it does now. */
  static boolean reused(Connection connection) {
    return !USED.add(connection);
  }
}
