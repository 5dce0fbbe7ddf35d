package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.net.ProtocolException;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a client that are under way, by OkHttp's call, and what its two interceptors do
 * for them: one outermost, around an attempt, and one on the network, around each request that goes
 * out.
 *
 * <p>A registry and not a request tag: an authenticator may answer with a request of its own
 * making, and a tag would cost a copy of every request.
 */
final class Wires {
  private final Map<Call, WireState> underWay = new ConcurrentHashMap<>();
  private final Set<Connection> used =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  void put(Call call, WireState wire) {
    underWay.put(call, wire);
  }

  void remove(Call call) {
    underWay.remove(call);
  }

  @Nullable WireState get(Call call) {
    return underWay.get(call);
  }

  /** Whether a connection has carried a request before; remembers that it does now. */
  boolean reused(Connection connection) {
    return !used.add(connection);
  }

  int size() {
    return underWay.size();
  }

  /** Sends one attempt, and undoes what the network interceptor did to keep it a single one. */
  static Response send(Interceptor.Chain chain, Request request, WireState wire)
      throws IOException {
    if (!wire.attempt().begin(request)) {
      throw new IOException("Canceled");
    }
    try {
      return wire.reveal(chain.proceed(request));
    } catch (Sealed sealed) {
      throw sealed.reason();
    }
  }

  /**
   * An exception that OkHttp does not recover from: its recovery sends the request again on any
   * {@link IOException} but a few, of which {@link ProtocolException} is one.
   */
  static final class Sealed extends ProtocolException {
    private static final long serialVersionUID = 1;

    /** The real one. */
    private final IOException reason;

    Sealed(IOException reason) {
      super(reason.getMessage());
      this.reason = reason;
    }

    IOException reason() {
      return reason;
    }

    @Override
    public Throwable fillInStackTrace() {
      return this;
    }
  }
}
