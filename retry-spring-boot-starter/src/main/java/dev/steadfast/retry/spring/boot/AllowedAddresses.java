package dev.steadfast.retry.spring.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import okhttp3.Dns;
import okhttp3.OkHttpClient;
import org.springframework.boot.http.client.InetAddressFilter;

/** Looks up hosts for OkHttp, without addresses that the application does not let it call. */
record AllowedAddresses(Dns all, InetAddressFilter allowed) implements Dns {

  /** Restricts a client that is being built as a copy of the base. */
  static void restrict(OkHttpClient.Builder builder, OkHttpClient base, InetAddressFilter allowed) {
    AllowedAddresses addresses = new AllowedAddresses(base.dns(), allowed);
    builder.dns(addresses).proxy(null).proxySelector(new Proxies(addresses, base));
  }

  // Unchecked, as Boot's exception for the JDK's client is: an unknown host would be tried again,
  // and OkHttp goes on without end if a proxy selector throws an IOException.
  @Override
  public List<InetAddress> lookup(String host) throws UnknownHostException {
    List<InetAddress> left = all.lookup(host).stream().filter(allowed::matches).toList();
    if (left.isEmpty()) {
      throw new SecurityException(host + " has no address that may be called");
    }
    return left;
  }

  /** Checks each host, also those that OkHttp does not look up: in digits, or behind a proxy. */
  private static final class Proxies extends ProxySelector {
    private final AllowedAddresses addresses;
    private final OkHttpClient base;

    Proxies(AllowedAddresses addresses, OkHttpClient base) {
      this.addresses = addresses;
      this.base = base;
    }

    @Override
    public List<Proxy> select(URI uri) {
      try {
        addresses.lookup(uri.getHost());
      } catch (UnknownHostException unknown) {
        return List.of(Proxy.NO_PROXY); // OkHttp looks it up, and fails likewise
      }
      Proxy fixed = base.proxy();
      return fixed == null ? base.proxySelector().select(uri) : List.of(fixed);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
      base.proxySelector().connectFailed(uri, address, failure);
    }
  }
}
