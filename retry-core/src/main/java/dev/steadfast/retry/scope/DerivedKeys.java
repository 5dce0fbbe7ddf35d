package dev.steadfast.retry.scope;

import dev.steadfast.retry.internal.Checks;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
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
    MessageDigest hash = sha256();
    add(hash, bytes("namespace", namespace));
    add(hash, bytes("parent key", parentKey));
    add(hash, bytes("name", name));
    return HexFormat.of().formatHex(hash.digest());
  }

  // Each part is preceded by its length: ("ab", "c") and ("a", "bc") are two keys.
  private static void add(MessageDigest hash, ByteBuffer part) {
    hash.update(ByteBuffer.allocate(4).putInt(0, part.remaining()));
    hash.update(part);
  }

  /** Strictly: String.getBytes writes every half of a surrogate pair as the same byte. */
  static ByteBuffer bytes(String what, String part) {
    try {
      return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(part));
    } catch (CharacterCodingException malformed) {
      throw new IllegalArgumentException(
          what + ": holds half a surrogate pair (expected: well-formed text)", malformed);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
