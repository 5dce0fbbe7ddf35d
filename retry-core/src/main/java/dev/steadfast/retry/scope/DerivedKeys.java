package dev.steadfast.retry.scope;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Digest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Keys of the calls that are made for one keyed request: the same request, repeated, makes the same
 * calls under the same keys, and no two principals ever share one.
 */
final class DerivedKeys {
  private final String namespace;
  private final String parentKey;
  private final Map<String, String> requests = new ConcurrentHashMap<>(); // by name

  DerivedKeys(String namespace, String parentKey) {
    this.namespace = namespace;
    this.parentKey = parentKey;
  }

  String derive(String name, Supplier<String> fingerprint) {
    String request = fingerprint.get();
    String before = requests.putIfAbsent(name, request);
    if (before != null && !before.equals(request)) {
      throw Checks.bad(
          "name",
          "\"" + name + "\"",
          "a name of its own for each call in a scope, as its key derives from it, and this name"
              + " was used for another request");
    }
    return new Digest()
        .add(Checks.wellFormed("namespace", namespace))
        .add(Checks.wellFormed("parent key", parentKey))
        .add(Checks.wellFormed("name", name))
        .hex();
  }
}
