package dev.steadfast.retry.torture;

import dev.steadfast.retry.RetryReport;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Enlists operations in the caller's transactions. */
final class Enlisting {
  private final Journal journal;
  private final DataSource database;

  /** Where operations are enlisted. */
  interface Journal {
    /** False if the operation is there already. */
    boolean enlist(Connection connection, Op operation) throws SQLException, IOException;
  }

  Enlisting(Journal journal, DataSource database) {
    this.journal = journal;
    this.database = database;
  }

  /** The operation is accepted if its transaction is committed. */
  PaymentClient.Told enlist(Op operation) {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      boolean fresh = journal.enlist(connection, operation);
      connection.commit();
      return new PaymentClient.Told(
          RetryReport.Effect.ACCEPTED.name(), fresh ? "enlisted" : "enlisted before", false);
    } catch (SQLException | IOException lost) {
      // The transaction may be committed. The caller can enlist the operation again.
      return new PaymentClient.Told(RetryReport.Effect.UNKNOWN.name(), lost.toString(), true);
    }
  }
}
