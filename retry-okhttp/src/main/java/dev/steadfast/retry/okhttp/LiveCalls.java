package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.okhttp.ClientInterceptors.Around;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a client that are under way, by OkHttp's call; and what is known of the client's
 * interceptors.
 *
 * <p>A registry and not a request tag: an authenticator may answer with a new request, which has no
 * tag. And a tag would cost a copy of every request.
 */
final class LiveCalls {
  // Why it is like this: docs/decisions/one-loop.md
  // Of the process: clients that are derived from each other share their connections. In several
  // parts, so that requests on different connections seldom wait for each other.
  private static final int PARTS = 64;
  private static final List<Set<Connection>> USED = parts();

  private final Map<Call, WireTrace> underWay = new ConcurrentHashMap<>();
  private final ClientInterceptors interceptors;

  private static List<Set<Connection>> parts() {
    List<Set<Connection>> parts = new ArrayList<>();
    while (parts.size() < PARTS) {
      parts.add(Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>())));
    }
    return List.copyOf(parts);
  }

  LiveCalls(Around around) {
    interceptors = new ClientInterceptors(around, null);
  }

  private LiveCalls(Proxies proxies) {
    interceptors = new ClientInterceptors(Around.UNKNOWN, proxies);
  }

  /** The calls of a client that its user goes on building. */
  static LiveCalls of(OkHttpClient client) {
    return new LiveCalls(Proxies.of(client));
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
    if (!interceptors.withinUsersCalls()) {
      return known;
    }
    CallTag tag = call.request().tag(CallTag.class);
    Call around = tag != null && tag.belongsTo(call) ? tag.around() : null;
    return known != null || around == null ? known : underWay.get(around);
  }

  /** A call that is no attempt's goes to the network. A factory of the user's has made it. */
  void otherCall(Call call) {
    CallTag tag = call.request().tag(CallTag.class);
    Call around = tag == null ? null : tag.around();
    WireTrace owner = around == null ? null : underWay.get(around);
    if (owner == null) {
      interceptors.otherCall();
    } else {
      owner.otherCall(call.request());
    }
  }

  /**
   * Whether a call that has no attempt here was to carry one that is over. A call that a factory of
   * the user's begins late is not known to have been cancelled with its attempt.
   */
  static boolean comesTooLate(Call call) {
    CallTag tag = call.request().tag(CallTag.class);
    return tag != null && tag.belongsTo(call);
  }

  int size() {
    return underWay.size();
  }

  /** Whether a connection has carried a request before; remembers that it does now. */
  static boolean reused(Connection connection) {
    int hash = System.identityHashCode(connection);
    return !USED.get((hash ^ (hash >>> 16)) & (PARTS - 1)).add(connection);
  }
}
