package dev.steadfast.retry.spring.boot;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.client.ClientHttpRequestFactory;

/**
 * The clients of {@code steadfast.clients}, by name. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * RestClient payments = clients.get("payments").restClient().build();
 * }</pre>
 */
public final class SteadfastClients {
  private final Map<String, SteadfastClient> clients;

  private final @Nullable SteadfastClient ofAll;

  /**
   * The clients of an application.
   *
   * @param clients by name
   * @param ofAll the name of the one for all builders of Boot; null for none
   */
  SteadfastClients(Map<String, SteadfastClient> clients, @Nullable String ofAll) {
    this.clients = new TreeMap<>(clients);
    this.ofAll = ofAll == null ? null : get(ofAll);
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

  /**
   * Tells what sends for an HTTP service group: the client of its name, else the one for all, if
   * the group has settings that this one has not.
   */
  void forGroup(
      String group, BootClients boot, BiConsumer<SteadfastClient, ClientHttpRequestFactory> use) {
    SteadfastClient own = clients.get(group);
    if (own != null) {
      use.accept(own, own.requestFactory());
      return;
    }
    SteadfastClient all = ofAll;
    if (all != null) {
      HttpClientSettings settings = boot.settings(group, all.settings());
      if (!settings.equals(all.settings())) {
        use.accept(all, all.requests(settings));
      }
    }
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
