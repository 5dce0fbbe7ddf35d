package dev.steadfast.retry.journal;

import dev.steadfast.retry.journal.StorageCodec.Part;
import dev.steadfast.retry.journal.StorageCodec.Place;
import dev.steadfast.retry.operations.OperationJournal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Converts contents of requests and answers to and from the form that the database holds. A mark
 * shows which values a codec wrote, so one table may hold values with and without one. Immutable.
 *
 * @param codec null if all is stored as it is
 */
record StoredForm(@Nullable StorageCodec codec) {
  // No URI and no header has this in it. Any other value that begins with it is marked as plain.
  private static final String MARK = "{steadfast}";
  private static final char PLAIN = '-';
  private static final char ENCODED = '+';
  private static final byte[] MARK_BYTES = MARK.getBytes(StandardCharsets.US_ASCII);
  private static final int HEAD = MARK_BYTES.length + 1;

  // Writing.

  /**
   * Text as it is stored.
   *
   * @throws SQLException if the codec fails, or gives back something else
   */
  String text(Place place, String plain) throws SQLException {
    if (codec == null) {
      return plain.startsWith(MARK) ? MARK + PLAIN + plain : plain;
    }
    byte[] encoded = encoded(codec, place, plain.getBytes(StandardCharsets.UTF_8));
    return MARK + ENCODED + Base64.getEncoder().encodeToString(encoded);
  }

  /**
   * Bytes as they are stored, null for null.
   *
   * @throws SQLException if the codec fails, or gives back something else
   */
  byte @Nullable [] bytes(Place place, byte @Nullable [] plain) throws SQLException {
    if (plain == null) {
      return null;
    }
    if (codec == null) {
      return isMarked(plain) ? marked(PLAIN, plain) : plain;
    }
    return marked(ENCODED, encoded(codec, place, plain));
  }

  /**
   * A URI as it is stored: origin and path stay readable.
   *
   * @throws SQLException if the codec fails, or gives back something else
   */
  String uri(OperationJournal.Id id, URI uri) throws SQLException {
    boolean hasMore =
        uri.getRawQuery() != null || uri.getRawFragment() != null || uri.getRawUserInfo() != null;
    if (codec == null || !hasMore) {
      return uri.toString();
    }
    String authority = uri.getRawAuthority();
    String host = authority.substring(authority.lastIndexOf('@') + 1);
    String readable = uri.getScheme() + "://" + host + uri.getRawPath();
    return readable + "?" + text(new Place(id, Part.URI), uri.toString());
  }

  private static byte[] encoded(StorageCodec codec, Place place, byte[] plain) throws SQLException {
    byte[] encoded;
    boolean same;
    try {
      encoded = Objects.requireNonNull(codec.encode(place, plain.clone()), "encode gave null");
      same = place.part().isOfAnswer() || Arrays.equals(plain, codec.decode(place, encoded));
    } catch (Throwable failed) { // an Error too, such as a class that is missing
      throw new CodecException("failed to encode " + place.part() + ": " + failed, failed);
    }
    if (!same) {
      throw new CodecException(
          "changes " + place.part() + " (expected: decode gives back what is sent)", null);
    }
    return encoded;
  }

  private static byte[] marked(char kind, byte[] bytes) {
    byte[] marked = Arrays.copyOf(MARK_BYTES, HEAD + bytes.length);
    marked[HEAD - 1] = (byte) kind;
    System.arraycopy(bytes, 0, marked, HEAD, bytes.length);
    return marked;
  }

  private static boolean isMarked(byte[] bytes) {
    int length = MARK_BYTES.length;
    return bytes.length >= length && Arrays.equals(bytes, 0, length, MARK_BYTES, 0, length);
  }

  // Reading.

  /**
   * Reads a text column; null if it is null.
   *
   * @throws CorruptRowException if it cannot be decoded
   */
  @Nullable String text(ResultSet row, String column, Part part) throws SQLException {
    String stored = row.getString(column);
    int mark = stored == null ? -1 : stored.indexOf(MARK);
    if (stored == null || (part == Part.URI ? mark < 0 : mark != 0)) {
      return stored;
    }
    String text = stored.substring(mark + MARK.length());
    if (text.indexOf(PLAIN) == 0) {
      return text.substring(1);
    }
    byte[] encoded;
    try {
      encoded = Base64.getDecoder().decode(text.substring(1));
    } catch (IllegalArgumentException | StringIndexOutOfBoundsException unreadable) {
      throw new CorruptRowException(row.getLong("id"), column);
    }
    return new String(decoded(row, column, part, encoded), StandardCharsets.UTF_8);
  }

  /**
   * Reads a binary column; null if it is null.
   *
   * @throws CorruptRowException if it cannot be decoded
   */
  byte @Nullable [] bytes(ResultSet row, String column, Part part) throws SQLException {
    byte[] stored = row.getBytes(column);
    if (stored == null || !isMarked(stored)) {
      return stored;
    }
    if (stored.length < HEAD) {
      throw new CorruptRowException(row.getLong("id"), column);
    }
    byte[] content = Arrays.copyOfRange(stored, HEAD, stored.length);
    return stored[HEAD - 1] == PLAIN ? content : decoded(row, column, part, content);
  }

  private byte[] decoded(ResultSet row, String column, Part part, byte[] encoded)
      throws SQLException {
    if (codec == null) {
      throw CorruptRowException.withoutCodec(row.getLong("id"), column);
    }
    Place place = new Place(id(row), part);
    try {
      return Objects.requireNonNull(codec.decode(place, encoded), "decode gave null");
    } catch (Throwable failed) { // one row must not stop the others
      throw CorruptRowException.undecoded(row.getLong("id"), column, failed);
    }
  }

  static OperationJournal.Id id(ResultSet row) throws SQLException {
    String principal = row.getString("principal");
    String key = row.getString("op_key");
    return Sql.parse(row, "name", name -> new OperationJournal.Id(name, principal, key));
  }

  /** The part of a stored URI that no codec hides: without query, to be shown. */
  static String withoutQuery(String stored) {
    return stored.split("[?#]", 2)[0];
  }
}
