package dev.steadfast.retry.journal;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The codec of the journal cannot encode something, so the statement with it was not run. */
final class CodecException extends SQLException {
  private static final long serialVersionUID = 1;

  CodecException(String what, @Nullable Throwable cause) {
    super("the codec of the journal " + what, cause);
  }
}
