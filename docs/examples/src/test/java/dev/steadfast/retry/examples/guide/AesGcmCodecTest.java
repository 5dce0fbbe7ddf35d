package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.journal.StorageCodec.Part;
import dev.steadfast.retry.journal.StorageCodec.Place;
import dev.steadfast.retry.operations.OperationJournal;
import java.security.GeneralSecurityException;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class AesGcmCodecTest {
  private static final SecretKey ONE = new SecretKeySpec(new byte[32], "AES");
  private static final SecretKey TWO = new SecretKeySpec(new byte[16], "AES");
  private static final Place BODY =
      new Place(new OperationJournal.Id("charge", "", "4711"), Part.REQUEST_BODY);
  private static final byte[] PLAIN = {1, 2, 3};

  @Test
  void anEarlierKeyStaysReadable() throws Exception {
    byte[] encoded = new AesGcmCodec(Map.of(1, ONE), 1).encode(BODY, PLAIN);
    assertArrayEquals(PLAIN, new AesGcmCodec(Map.of(1, ONE, 2, TWO), 2).decode(BODY, encoded));
    AesGcmCodec without = new AesGcmCodec(Map.of(2, TWO), 2);
    assertThrows(GeneralSecurityException.class, () -> without.decode(BODY, encoded));
  }

  @Test
  void anotherPlaceIsRefused() throws Exception {
    AesGcmCodec codec = new AesGcmCodec(Map.of(1, ONE), 1);
    byte[] encoded = codec.encode(BODY, PLAIN);
    Place other = new Place(BODY.operation(), Part.ANSWER_BODY);
    assertThrows(GeneralSecurityException.class, () -> codec.decode(other, encoded));
  }
}
