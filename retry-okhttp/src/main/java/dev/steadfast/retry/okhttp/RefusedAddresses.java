package dev.steadfast.retry.okhttp;

import java.net.InetAddress;
import java.net.Proxy;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import okhttp3.Address;
import okhttp3.Route;

/**
 * The addresses that refused a request of an attempt with REFUSED_STREAM. A refused request was not
 * processed (RFC 9113 section 8.7), so OkHttp may try the next address of the host.
 */
final class RefusedAddresses {
  // OkHttp asks a connection twice, and may first have asked one from its pool.
  private static final int REFUSALS_PER_ADDRESS = 2;

  private final Set<InetAddress> refused = new HashSet<>();
  private int refusals;

  /** Whether the host has an address that has not refused yet, after this route has. */
  boolean anotherIsLeft(Route route) {
    refused.add(route.socketAddress().getAddress());
    refusals++;
    if (route.proxy().type() != Proxy.Type.DIRECT) {
      return false; // the addresses are those of the proxy
    }
    List<InetAddress> all = addresses(route.address());
    return refusals <= REFUSALS_PER_ADDRESS * all.size() && !refused.containsAll(all);
  }

  private static List<InetAddress> addresses(Address address) {
    try {
      return address.dns().lookup(address.url().host());
    } catch (UnknownHostException | RuntimeException unknown) {
      return List.of(); // the failure of the request tells more
    }
  }
}
