package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parts of a journal. Immutable. */
record Parts(
    Base base,
    Claims claims,
    Backlog backlog,
    DueRows due,
    Sequences sequences,
    NextStep next,
    OriginGate gate,
    Parking parking,
    Enlisting enlisting,
    OversightRows oversightRows,
    DecisionRows decisionRows) {

  /** How the database is reached. */
  record Base(Worker worker, Connections connections, Dialect dialect, Tables tables) {}

  /**
   * The options that the user has set.
   *
   * @param deliveries when deliveries end
   * @param atRest how contents are stored
   */
  record Options(Deliveries deliveries, AtRest atRest) {}

  static Parts of(Base base, Options options, OriginGate gate) {
    Deliveries deliveries = options.deliveries();
    AtRest atRest = options.atRest();
    Dialect dialect = base.dialect();
    Tables tables = base.tables();
    Rows rows = new Rows(dialect, tables, deliveries, atRest);
    Parking parking = new Parking(dialect, tables, deliveries);
    Sequences sequences = new Sequences(dialect, tables);
    Claims claims = new Claims(base.connections(), rows, sequences);
    WakeupRows wakeups = new WakeupRows(dialect, tables, deliveries, atRest);
    return new Parts(
        base,
        claims,
        new Backlog(dialect, tables, deliveries, atRest),
        new DueRows(dialect, tables, deliveries, atRest),
        sequences,
        new NextStep(base.connections(), claims, wakeups, sequences, parking),
        gate,
        parking,
        new Enlisting(dialect, tables, rows),
        new OversightRows(dialect, tables, deliveries, atRest),
        new DecisionRows(dialect, tables, deliveries));
  }

  Worker worker() {
    return base.worker();
  }

  Dialect dialect() {
    return base.dialect();
  }

  Oversight oversight() {
    return new Oversight(
        worker(),
        base.connections(),
        new Oversight.Statements(
            oversightRows,
            decisionRows,
            new TotalsRow(dialect(), base.tables()),
            backlog,
            sequences),
        false);
  }

  ResumeRun.Parts run(Resuming resuming) {
    return new ResumeRun.Parts(
        worker(), base.connections(), claims, due, sequences, next, gate, parking, resuming);
  }

  Wakeups.Parts wakeups(Resuming resuming) {
    return new Wakeups.Parts(base.connections(), claims, backlog, due, sequences, next, resuming);
  }

  /** Runs statements on the executor, while the calling thread waits. */
  <T extends @Nullable Object> T run(Connections.Statements<T> statements) throws IOException {
    return worker().await(() -> base.connections().run(statements));
  }

  /** Marks what cannot be sent again, and tells the time of the database. */
  OffsetDateTime begin() throws IOException {
    return base.connections()
        .run(connection -> {
          claims.markUnknown(connection, backlog.expired(connection));
          return backlog.time(connection);
        });
  }

  List<Intent> unknown(Connection connection, int most) throws SQLException {
    claims.markUnknown(connection, backlog.expired(connection));
    return backlog.unknown(connection, most);
  }

  boolean settle(Connection connection, OperationJournal.Id id, String state) throws SQLException {
    boolean settled = backlog.settle(connection, id, state);
    if (settled) {
      sequences.look(connection, id);
    }
    return settled;
  }
}
