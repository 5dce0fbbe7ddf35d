package dev.steadfast.retry.journal;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A column has a value that this journal cannot read. The message names the column and not the
 * value. Its SQLState is that of a data exception.
 */
final class CorruptRowException extends SQLException {
  private static final long serialVersionUID = 1;
  private static final String DATA_EXCEPTION = "22000";

  /** Whether a journal with another codec, or with another key, may read it. */
  private final boolean encoded;

  /** Whether this journal has no codec at all, so that it knows nothing of the value. */
  private final boolean codecMissing;

  CorruptRowException(long id, String column) {
    super(text(id, column), DATA_EXCEPTION);
    this.encoded = false;
    this.codecMissing = false;
  }

  private CorruptRowException(String message, @Nullable Throwable cause) {
    super(message, DATA_EXCEPTION, cause);
    this.encoded = true;
    this.codecMissing = cause == null;
  }

  /** The value was written with a codec, and the journal has none. */
  static CorruptRowException withoutCodec(long id, String column) {
    return new CorruptRowException(
        text(id, column)
            + " was written with a codec, and this journal has none"
            + " (JdbcJournal.Builder.codec)",
        null);
  }

  /** The codec of the journal refuses the value. */
  static CorruptRowException undecoded(long id, String column, Throwable failure) {
    return new CorruptRowException(
        text(id, column) + " was refused by the codec: " + failure, failure);
  }

  private static String text(long id, String column) {
    return "row " + id + " of the operations cannot be read: column " + column;
  }

  boolean isEncoded() {
    return encoded;
  }

  boolean isCodecMissing() {
    return codecMissing;
  }
}
