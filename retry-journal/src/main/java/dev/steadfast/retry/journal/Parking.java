package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parks operations that were delivered too often or too long; tells of each once. Immutable. */
final class Parking {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  private final Deliveries deliveries;
  private final String park;

  Parking(Dialect dialect, Tables tables, Deliveries deliveries) {
    this.deliveries = deliveries;
    this.park =
        tables.named(
            "update steadfast_operation set state = 'parked', passed = "
                + deliveries.isPassing()
                + ", "
                + Rows.released(dialect)
                + " where id = ? and row_version = ? and "
                + Rows.unheld(dialect.now()));
  }

  /** Whether later operations of its sequence may pass a parked one. */
  boolean isPassing() {
    return deliveries.isPassing();
  }

  /** Whether an operation is to be parked instead of being delivered once more. */
  boolean isOver(Row row) {
    return deliveries.exceededBy(row);
  }

  /** Parks an operation, unless somebody has changed it in the meantime. */
  void park(Connection connection, Row row, OperationJournal.Id id) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, park)) {
      statement.setLong(1, row.version().id());
      statement.setInt(2, row.version().number());
      if (statement.executeUpdate() == 0) {
        return;
      }
    }
    LOG.warn(
        "{} is parked after {} deliveries in {}{}: resume, settle or cancel it",
        id,
        row.delivery().made(),
        row.delivery().age(),
        row.times().sent() ? "" : ", and nothing was sent");
    try {
      deliveries.listener().accept(id);
    } catch (Throwable broken) {
      LOG.error("a listener failed on parked {}", id, broken);
    }
  }
}
