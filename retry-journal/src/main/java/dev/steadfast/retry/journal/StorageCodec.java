package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;

/**
 * Encrypts what a journal stores of requests and answers. The database then holds what {@link
 * #encode} gives, and the journal works with what {@link #decode} gives back.
 *
 * <p>The names of operations (name, principal, business key, sequence), the principal that called,
 * method, origin and path, the name of the key's header, the status, states and times are not
 * encoded: the journal searches and orders by them, or shows them to a person.
 *
 * <p>Both methods run on threads of the journal while a connection is held, several times for each
 * operation, so keep keys in memory. Implementations are safe for use by many threads.
 */
public interface StorageCodec {
  /** A part of an operation. A later version may add values, so a switch needs a default. */
  enum Part {
    /** The hash that tells two requests apart. Without a codec, short contents can be guessed. */
    FINGERPRINT,
    /** The key as it goes over the wire. */
    KEY,
    /** The URI, if there is more to it than origin and path. */
    URI,
    /** The headers of the request that are kept, as text. */
    REQUEST_HEADERS,
    /** The body of the request. */
    REQUEST_BODY,
    /** The headers of the answer that are kept, as text. */
    ANSWER_HEADERS,
    /** The body of the answer. */
    ANSWER_BODY;

    boolean isOfAnswer() {
      return this == ANSWER_HEADERS || this == ANSWER_BODY;
    }
  }

  /**
   * The place where something is stored.
   *
   * @param operation the name of the operation
   * @param part which part of it
   */
  record Place(OperationJournal.Id operation, Part part) {
    /**
     * The place as bytes, which differ for any two places. A cipher that authenticates them (AEAD)
     * refuses what was copied from another operation.
     *
     * @return new bytes, the same for the same place in each version of the library
     */
    public byte[] bytes() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        out.writeUTF(operation.name());
        out.writeUTF(operation.principal());
        out.writeUTF(operation.key());
        out.writeUTF(part.name());
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
      return bytes.toByteArray();
    }
  }

  /**
   * Gives the bytes to be stored. Parts of a request must come back from {@link #decode} as they
   * are, because they are sent again: the journal tries it at once, and refuses the operation
   * otherwise. Parts of an answer may be changed for good, such as without a card number. A later
   * caller of the same operation then gets the changed answer.
   *
   * @param place where it is stored
   * @param plain the bytes, in UTF-8 for text; not to be changed
   * @return the bytes for the database
   * @throws GeneralSecurityException if it cannot be encoded: a request is then not sent; an answer
   *     is not kept
   * @throws IOException likewise
   */
  byte[] encode(Place place, byte[] plain) throws GeneralSecurityException, IOException;

  /**
   * Gives the plain bytes back.
   *
   * @param place where it was stored
   * @param encoded what {@link #encode} gave, perhaps with an earlier key; not to be changed
   * @return the bytes
   * @throws GeneralSecurityException if they cannot be read: the operation is then kept, logged and
   *     not sent. The message is logged, so it must not have a secret
   * @throws IOException likewise
   */
  byte[] decode(Place place, byte[] encoded) throws GeneralSecurityException, IOException;
}
