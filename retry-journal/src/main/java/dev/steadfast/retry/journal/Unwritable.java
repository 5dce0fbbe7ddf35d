package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The reason why a database takes no operation at all. */
enum Unwritable {
  NO_TABLE(
      "its tables are missing: create them with JdbcJournal.Builder.createTables() or with a"
          + " migration, or name their schema and prefix"),
  OLD_TABLE("its tables lack a column: bring them to this version of the library before it runs"),
  READ_ONLY("its database is read-only: connect to the primary");

  // The SQLStates of a transaction that may only read: PostgreSQL's, and H2's.
  private static final String POSTGRESQL_READ_ONLY = "25006";
  private static final String H2_READ_ONLY = "90097";

  // The SQLStates of a column that is not there: PostgreSQL's, and H2's.
  private static final Set<String> NO_COLUMN = Set.of("42703", "42S22");

  private final String text;

  Unwritable(String text) {
    this.text = text;
  }

  /** The reason for a failure; null if it has another one. */
  static @Nullable Unwritable of(IOException failure) {
    if (!(failure.getCause() instanceof SQLException failed)) {
      return null;
    }
    String state = String.valueOf(failed.getSQLState());
    if (Connections.NO_TABLE.contains(state)) {
      return NO_TABLE;
    }
    if (NO_COLUMN.contains(state)) {
      return OLD_TABLE;
    }
    return state.equals(POSTGRESQL_READ_ONLY) || state.equals(H2_READ_ONLY) ? READ_ONLY : null;
  }

  RefusedException refusal(IOException cause) {
    String told = String.valueOf(Objects.requireNonNull(cause.getCause()).getMessage());
    return new RefusedException(
        Refusal.UNWRITABLE,
        "the journal takes no operation, so nothing was sent: "
            + text
            + " ("
            + told.lines().findFirst().orElse("")
            + ")",
        cause);
  }
}
