package dev.steadfast.retry.okhttp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.util.List;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The proxies of a client, as they were when the {@link RetryInterceptor} was added. Immutable.
 *
 * @param proxy the one for all requests, null if the selector is asked
 * @param selector knows those of each URL
 */
record Proxies(@Nullable Proxy proxy, ProxySelector selector) {
  static Proxies of(OkHttpClient client) {
    return new Proxies(client.proxy(), client.proxySelector());
  }

  /** Whether a failure says that a proxy of that URL was not reached, or refused the tunnel. */
  boolean passedNothingOn(HttpUrl url, Throwable failure) {
    for (Proxy each : of(url)) {
      if (each.type() == Proxy.Type.HTTP
          && each.address() instanceof InetSocketAddress address
          && (OkHttpErrors.tunnelRefused(failure) || notReached(address, failure))) {
        return true;
      }
    }
    return false;
  }

  // OkHttp names a proxy by its IP address where that is known.
  private static boolean notReached(InetSocketAddress proxy, Throwable failure) {
    InetAddress resolved = proxy.getAddress();
    return OkHttpErrors.notConnectedTo(proxy.getHostString(), proxy.getPort(), failure)
        || (resolved != null
            && OkHttpErrors.notConnectedTo(resolved.getHostAddress(), proxy.getPort(), failure));
  }

  private List<Proxy> of(HttpUrl url) {
    if (proxy != null) {
      return List.of(proxy);
    }
    try {
      List<Proxy> selected = selector.select(url.uri());
      return selected == null ? List.of() : selected;
    } catch (RuntimeException broken) {
      return List.of(); // the failure of the request tells more
    }
  }
}
