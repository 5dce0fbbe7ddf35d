package dev.steadfast.retry.journal;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A codec with keys that are made of their numbers. */
final class AesGcm implements StorageCodec {
  private static final int NONCE_BYTES = 12;

  private final SecureRandom random = new SecureRandom();
  private final Map<Byte, SecretKey> keys;
  private final byte current;

  AesGcm(int current, int... earlier) {
    this.current = (byte) current;
    Map<Byte, SecretKey> made = new HashMap<>(Map.of((byte) current, key(current)));
    for (int each : earlier) {
      made.put((byte) each, key(each));
    }
    this.keys = Map.copyOf(made);
  }

  private static SecretKey key(int number) {
    byte[] bytes = new byte[32];
    bytes[0] = (byte) number;
    return new SecretKeySpec(bytes, "AES");
  }

  @Override
  public byte[] encode(Place place, byte[] plain) throws GeneralSecurityException {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] sealed = cipher(Cipher.ENCRYPT_MODE, current, nonce, place).doFinal(plain);
    return ByteBuffer.allocate(1 + NONCE_BYTES + sealed.length)
        .put(current)
        .put(nonce)
        .put(sealed)
        .array();
  }

  @Override
  public byte[] decode(Place place, byte[] encoded) throws GeneralSecurityException {
    ByteBuffer in = ByteBuffer.wrap(encoded);
    byte number = in.get();
    byte[] nonce = new byte[NONCE_BYTES];
    in.get(nonce);
    byte[] sealed = new byte[in.remaining()];
    in.get(sealed);
    return cipher(Cipher.DECRYPT_MODE, number, nonce, place).doFinal(sealed);
  }

  private Cipher cipher(int mode, byte number, byte[] nonce, Place place)
      throws GeneralSecurityException {
    SecretKey key = keys.get(number);
    if (key == null) {
      throw new GeneralSecurityException("no key " + number);
    }
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(128, nonce));
    cipher.updateAAD(place.bytes());
    return cipher;
  }
}
