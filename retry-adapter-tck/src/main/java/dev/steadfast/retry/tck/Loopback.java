package dev.steadfast.retry.tck;

import java.net.InetAddress;
import java.net.URI;

/** Addresses of this machine, as URIs. */
final class Loopback {
  private Loopback() {}

  /**
   * Names the address, not {@code localhost}: that name may have two addresses, and a client that
   * falls back to the second one would connect more often than the scenario says.
   */
  static URI uri(String scheme, int port, String path) {
    String address = InetAddress.getLoopbackAddress().getHostAddress();
    String host = address.indexOf(':') < 0 ? address : "[" + address + "]";
    return URI.create(scheme + "://" + host + ":" + port + path);
  }
}
