package dev.steadfast.retry.journal;

import java.sql.SQLException;

/** A column has a value that no journal wrote. The message names the column and not the value. */
final class CorruptRowException extends SQLException {
  private static final long serialVersionUID = 1;

  CorruptRowException(long id, String column) {
    super("row " + id + " of the operations cannot be read: column " + column);
  }
}
