package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * SHA-256 over the parts of a request. Every part is preceded by its length, so that no two
 * different requests write the same bytes.
 */
final class RequestHash {
  private static final int MOST_BYTES = 1 << 20;

  private RequestHash() {}

  static List<String> names(String[] headers) {
    return Arrays.stream(Checks.notNull("headers", headers))
        .map(name -> Checks.headerName("header", name).toLowerCase(Locale.ROOT))
        .sorted()
        .distinct()
        .toList();
  }

  /**
   * What tells two requests apart; a body that can be read only once is like no other, its own
   * request's included.
   */
  static String fingerprint(RequestView request) {
    MessageDigest hash = sha256();
    add(hash, request.method());
    add(hash, request.uri().toString());
    byte[] body = request.body(MOST_BYTES).orElse(null);
    if (body == null) {
      add(hash, UUID.randomUUID().toString());
    } else {
      add(hash, body);
    }
    return HexFormat.of().formatHex(hash.digest());
  }

  static String of(RequestView request, List<String> headers, String bucket) {
    byte[] body =
        request
            .body(MOST_BYTES)
            .orElseThrow(() ->
                Checks.bad(
                    "request body",
                    "read once or too long",
                    "repeatable and at most 1 MiB for a key that is a hash"));
    MessageDigest hash = sha256();
    add(hash, request.method());
    add(hash, request.uri().toString());
    for (String name : headers) {
      List<String> values = request.headers(name);
      add(hash, name);
      hash.update(ByteBuffer.allocate(4).putInt(0, values.size()));
      values.forEach(value -> add(hash, value));
    }
    add(hash, bucket);
    add(hash, body);
    return HexFormat.of().formatHex(hash.digest());
  }

  private static void add(MessageDigest hash, String part) {
    add(hash, part.getBytes(StandardCharsets.UTF_8));
  }

  private static void add(MessageDigest hash, byte[] part) {
    hash.update(ByteBuffer.allocate(4).putInt(0, part.length));
    hash.update(part);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
