package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.journal.StorageCodec;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** Encrypts with AES-GCM. Each value begins with the number of its key. */
final class AesGcmCodec implements StorageCodec {
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final SecureRandom random = new SecureRandom();
  private final Map<Integer, SecretKey> keys;
  private final int current;

  AesGcmCodec(Map<Integer, SecretKey> keys, int current) {
    this.keys = Map.copyOf(keys);
    this.current = current;
  }

  @Override
  public byte[] encode(Place place, byte[] plain) throws GeneralSecurityException {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] sealed = cipher(Cipher.ENCRYPT_MODE, current, nonce, place).doFinal(plain);
    return ByteBuffer.allocate(Integer.BYTES + NONCE_BYTES + sealed.length)
        .putInt(current)
        .put(nonce)
        .put(sealed)
        .array();
  }

  @Override
  public byte[] decode(Place place, byte[] encoded) throws GeneralSecurityException {
    ByteBuffer in = ByteBuffer.wrap(encoded);
    int number = in.getInt();
    byte[] nonce = new byte[NONCE_BYTES];
    in.get(nonce);
    byte[] sealed = new byte[in.remaining()];
    in.get(sealed);
    return cipher(Cipher.DECRYPT_MODE, number, nonce, place).doFinal(sealed);
  }

  private Cipher cipher(int mode, int number, byte[] nonce, Place place)
      throws GeneralSecurityException {
    SecretKey key = keys.get(number);
    if (key == null) {
      throw new GeneralSecurityException("key " + number + " is not there");
    }
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(place.bytes()); // a value that is copied to another place is refused
    return cipher;
  }
}
