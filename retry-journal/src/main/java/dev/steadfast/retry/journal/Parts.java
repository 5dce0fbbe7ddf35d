package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
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
    OncePerMinute failures,
    Parking parking,
    Enlisting enlisting,
    OversightRows oversightRows,
    DecisionRows decisionRows,
    TotalsRow totals) {

  /** How the database is reached. */
  record Base(Worker worker, Connections connections, Dialect dialect, Tables tables) {}

  /**
   * The options that the user has set.
   *
   * @param deliveries when deliveries end
   * @param storedForm how contents are stored
   * @param ticker the time in ns, for pauses of deliveries and lines of the log
   */
  record Options(Deliveries deliveries, StoredForm storedForm, LongSupplier ticker) {}

  static Parts of(Base base, Options options) {
    Deliveries deliveries = options.deliveries();
    StoredForm storedForm = options.storedForm();
    Dialect dialect = base.dialect();
    Tables tables = base.tables();
    Rows rows = new Rows(dialect, tables, deliveries, storedForm);
    Parking parking = new Parking(dialect, tables, deliveries);
    Sequences sequences = new Sequences(dialect, tables);
    OncePerMinute unknown = new OncePerMinute(options.ticker());
    Claims claims = new Claims(base.connections(), rows, sequences, unknown);
    WakeupRows wakeups = new WakeupRows(dialect, tables, deliveries, storedForm);
    return new Parts(
        base,
        claims,
        new Backlog(dialect, tables, deliveries, storedForm),
        new DueRows(dialect, tables, deliveries, storedForm),
        sequences,
        new NextStep(base.connections(), claims, wakeups, sequences, parking),
        new OriginGate(options.ticker(), () -> ThreadLocalRandom.current().nextDouble()),
        new OncePerMinute(options.ticker()),
        parking,
        new Enlisting(dialect, tables, rows),
        new OversightRows(dialect, tables, deliveries, storedForm),
        new DecisionRows(dialect, tables, deliveries),
        new TotalsRow(dialect, tables, deliveries));
  }

  Worker worker() {
    return base.worker();
  }

  Connections connections() {
    return base.connections();
  }

  Dialect dialect() {
    return base.dialect();
  }

  /** Runs statements on the executor, while the calling thread waits. */
  <T extends @Nullable Object> T run(Connections.Statements<T> statements) throws IOException {
    return worker().await(() -> connections().run(statements));
  }

  /** Marks operations that cannot be sent again. Returns the time of the database. */
  OffsetDateTime begin() throws IOException {
    return connections()
        .run(connection -> {
          claims.markExpired(connection, backlog);
          return backlog.time(connection);
        });
  }

  List<Intent> unknown(Connection connection, int most) throws SQLException {
    claims.markExpired(connection, backlog);
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
