package dev.steadfast.retry.scope;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Digest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keys of the calls that are made for one keyed request: the same request, repeated, makes the same
 * calls under the same keys. Two principals never share a key, and neither do two operations of a
 * service.
 */
final class DerivedKeys {
  private final String namespace;
  private final String service;
  private final @Nullable String operation;
  private final String parentKey;
  private final Map<String, String> requests = new ConcurrentHashMap<>(); // by name

  DerivedKeys(String namespace, ScopeOptions options, String parentKey) {
    this.namespace = namespace;
    this.service = options.service();
    this.operation = options.operation();
    this.parentKey = parentKey;
  }

  String derive(String name, Supplier<String> fingerprint) {
    if (operation == null) {
      throw Checks.bad(
          "ScopeOptions.operation",
          "none",
          "the inbound operation, as keys derive from it: two operations may be called with the"
              + " same key");
    }
    String request = fingerprint.get();
    String before = requests.putIfAbsent(name, request);
    if (before != null && !before.equals(request)) {
      throw Checks.bad(
          "derivedKey",
          "\"" + name + "\"",
          "a name of its own for each call in a scope, and this name was used for another request");
    }
    return new Digest()
        .add(Checks.wellFormed("namespace", namespace))
        .add(service)
        .add(operation)
        .add(Checks.wellFormed("parent key", parentKey))
        .add(Checks.wellFormed("name", name))
        .hex();
  }
}
