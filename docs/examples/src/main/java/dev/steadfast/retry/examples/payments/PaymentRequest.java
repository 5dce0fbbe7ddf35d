package dev.steadfast.retry.examples.payments;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * A request to pay.
 *
 * @param key what makes it repeatable; without one it is carried out each time it comes
 * @param hash tells this request from another one that came with the same key
 */
record PaymentRequest(
    String principal,
    Optional<PaymentKey> key,
    String intent,
    String account,
    long amount,
    String hash) {

  /** Reads {@code intent=...&account=...&amount=...}, of characters that need no encoding. */
  static PaymentRequest read(String principal, Optional<PaymentKey> key, String path, byte[] body) {
    Map<String, String> form = new HashMap<>();
    for (String field : new String(body, StandardCharsets.UTF_8).split("&", -1)) {
      String[] pair = field.split("=", 2);
      form.put(pair[0], pair[pair.length - 1]);
    }
    return new PaymentRequest(
        principal,
        key,
        matching(form, "intent", "[\\w.-]{1,100}"),
        matching(form, "account", "[\\w.-]{1,100}"),
        Long.parseLong(matching(form, "amount", "[1-9][0-9]{0,17}")),
        hash("POST " + path + "\n", body));
  }

  private static String matching(Map<String, String> form, String name, String shape) {
    String value = form.getOrDefault(name, "");
    if (!value.matches(shape)) {
      throw Answer.refusal(400, name + " is missing or has another form");
    }
    return value;
  }

  private static String hash(String start, byte[] body) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update(start.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(sha256.digest(body));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
