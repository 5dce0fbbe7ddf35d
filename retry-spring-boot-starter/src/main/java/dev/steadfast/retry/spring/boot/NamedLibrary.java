package dev.steadfast.retry.spring.boot;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/** The library that a property of Boot names for all clients. */
final class NamedLibrary {
  private static final String FACTORY = "spring.http.clients.imperative.factory";
  private static final String CONNECTOR = "spring.http.clients.reactive.connector";
  private static final Set<String> OTHERS = Set.of("httpcomponents", "jetty", "reactor", "simple");

  private NamedLibrary() {}

  /** Refuses one that cannot be wrapped, where there are clients to wrap. */
  static void check(Environment environment) {
    String named = environment.getProperty(FACTORY);
    if (named == null || !OTHERS.contains(canonical(named))) {
      return;
    }
    Map<String, Object> all =
        Binder.get(environment)
            .bind("steadfast.clients", Bindable.mapOf(String.class, Object.class))
            .orElse(Map.of());
    Set<String> clients = new TreeSet<>(all.keySet());
    if (canonical(named).equals("httpcomponents")) {
      clients.removeIf(name ->
          "apache"
              .equalsIgnoreCase(environment.getProperty("steadfast.clients." + name + ".library")));
    }
    if (!clients.isEmpty()) {
      throw new InvalidConfigurationPropertyValueException(
          FACTORY,
          named,
          "the clients "
              + clients
              + " of steadfast.clients send through another library (expected: jdk, or no value,"
              + " for which Boot chooses a library for its other clients; http-components if each"
              + " of these has library: apache)");
    }
  }

  /** Refuses a connector that cannot be wrapped, for a client that WebClient is to use. */
  static void checkConnector(Environment environment, String client) {
    String named = environment.getProperty(CONNECTOR);
    if (named != null && !canonical(named).equals("jdk")) {
      throw new InvalidConfigurationPropertyValueException(
          CONNECTOR,
          named,
          "WebClient is to send for client "
              + client
              + " of steadfast.clients through java.net.http (expected: jdk, or no value, for"
              + " which Boot chooses a library for its other clients)");
    }
  }

  private static String canonical(String named) {
    return named.replace("-", "").replace("_", "").trim().toLowerCase(Locale.ROOT);
  }
}
