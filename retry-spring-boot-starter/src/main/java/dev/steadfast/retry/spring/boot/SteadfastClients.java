package dev.steadfast.retry.spring.boot;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The clients of {@code steadfast.clients}, by name. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * RestClient payments = clients.get("payments").restClient().build();
 * }</pre>
 */
public final class SteadfastClients {
  private final Map<String, SteadfastClient> clients;

  SteadfastClients(Map<String, SteadfastClient> clients) {
    this.clients = new TreeMap<>(clients);
  }

  /**
   * A client.
   *
   * @param name its name, as in {@code steadfast.clients.<name>}
   * @return the client; the same one each time
   * @throws IllegalArgumentException if no property configures a client of that name
   */
  public SteadfastClient get(String name) {
    SteadfastClient client = clients.get(name);
    if (client == null) {
      throw new IllegalArgumentException(
          "client: " + name + " (expected: one of " + clients.keySet() + " in steadfast.clients)");
    }
    return client.using();
  }

  Collection<SteadfastClient> all() {
    return Collections.unmodifiableCollection(clients.values());
  }

  /** The client of a name, if there is one. */
  Optional<SteadfastClient> find(String name) {
    return Optional.ofNullable(clients.get(name));
  }

  /**
   * The names of all clients.
   *
   * @return an immutable set, sorted
   */
  public Set<String> names() {
    return Collections.unmodifiableSet(clients.keySet());
  }

  /** Called when the application ends, after all that uses the clients. */
  void end() {
    clients.values().forEach(SteadfastClient::close);
  }

  @Override
  public String toString() {
    return "SteadfastClients" + clients.keySet();
  }
}
