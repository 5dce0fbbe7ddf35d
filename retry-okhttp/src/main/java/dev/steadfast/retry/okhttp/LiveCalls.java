package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.okhttp.ClientInterceptors.Around;
import dev.steadfast.retry.paths.WirePath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a client that are under way, by OkHttp's call; and the known facts about the
 * client's interceptors.
 *
 * <p>A registry and not a request tag: an authenticator may answer with a new request, which has no
 * tag. And a tag would cost a copy of every request.
 */
final class LiveCalls {
  // Why it is like this: docs/decisions/one-loop.md
  // One for the process, because clients that are derived from each other share connections. It has
  // several parts, so that requests on different connections seldom wait for each other.
  private static final int PARTS = 64;
  private static final List<Map<Connection, WirePath>> USED = parts();

  private final Map<Call, WireTrace> underWay = new ConcurrentHashMap<>();
  private final ClientInterceptors interceptors;
  private final @Nullable SecondPool otherPool;

  private static List<Map<Connection, WirePath>> parts() {
    List<Map<Connection, WirePath>> parts = new ArrayList<>();
    while (parts.size() < PARTS) {
      parts.add(Collections.synchronizedMap(new WeakHashMap<>()));
    }
    return List.copyOf(parts);
  }

  /**
   * The calls of a client that is derived here.
   *
   * @param otherPool where attempts go that leave a silent connection, null if none does
   */
  LiveCalls(Around around, @Nullable SecondPool otherPool) {
    this.interceptors = new ClientInterceptors(around, null);
    this.otherPool = otherPool;
  }

  private LiveCalls(Proxies proxies) {
    this.interceptors = new ClientInterceptors(Around.UNKNOWN, proxies);
    this.otherPool = null; // a call keeps its connection
  }

  /** The calls of a client that its user goes on building. */
  static LiveCalls of(OkHttpClient client) {
    return new LiveCalls(Proxies.of(client));
  }

  /** The pool for attempts that leave a silent connection, null if none does. */
  @Nullable SecondPool otherPool() {
    return otherPool;
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
   * Whether a call without an attempt here was made for one that is over. A factory of the user's
   * may begin such a call late, when cancelling the attempt could no longer reach it.
   */
  static boolean comesTooLate(Call call) {
    CallTag tag = call.request().tag(CallTag.class);
    return tag != null && tag.belongsTo(call);
  }

  int size() {
    return underWay.size();
  }

  /** The known facts about a connection. */
  static WirePath path(Connection connection) {
    int hash = System.identityHashCode(connection);
    return USED.get((hash ^ (hash >>> 16)) & (PARTS - 1))
        .computeIfAbsent(connection, unknown -> new WirePath());
  }
}
