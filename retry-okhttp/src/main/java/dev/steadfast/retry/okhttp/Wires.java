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
 * The attempts of a client that are under way, by OkHttp's call.
 *
 * <p>A registry and not a request tag: an authenticator may answer with a request of its own
 * making, and a tag would cost a copy of every request.
 */
final class Wires {
  // Of the process: clients that are derived from each other share their connections.
  private static final Set<Connection> USED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final Map<Call, WireState> underWay = new ConcurrentHashMap<>();

  void put(Call call, WireState wire) {
    underWay.put(call, wire);
  }

  void remove(Call call) {
    underWay.remove(call);
  }

  @Nullable WireState get(Call call) {
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
