package dev.steadfast.retry.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256 over parts. Each part is preceded by its length, so ("ab", "c") and ("a", "bc") are two
 * digests. Keys are made of them and outlive a release, so their form is fixed.
 */
public final class Digest {
  private final MessageDigest hash = sha256();

  /** Adds a text as UTF-8. Texts that are not {@link Checks#wellFormed} may collide. */
  public Digest add(String part) {
    return add(part.getBytes(StandardCharsets.UTF_8));
  }

  public Digest add(byte[] part) {
    addNumber(part.length);
    hash.update(part);
    return this;
  }

  /** Adds how many parts follow that belong together. */
  public Digest addNumber(int number) {
    hash.update(ByteBuffer.allocate(4).putInt(0, number));
    return this;
  }

  /** Ends the digest and returns it: 64 hexadecimal digits. */
  public String hex() {
    return hex(hash.digest(), 32);
  }

  /** Eight hexadecimal digits that tell keys apart in logs without telling the keys. */
  public static String brief(String key) {
    byte[] digest = sha256().digest(key.getBytes(StandardCharsets.UTF_8));
    return hex(digest, 4);
  }

  private static String hex(byte[] bytes, int count) {
    StringBuilder hex = new StringBuilder(2 * count);
    for (int i = 0; i < count; i++) {
      hex.append(Character.forDigit((bytes[i] >> 4) & 0xf, 16));
      hex.append(Character.forDigit(bytes[i] & 0xf, 16));
    }
    return hex.toString();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
