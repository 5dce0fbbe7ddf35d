package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs statements on connections of the user's pool, each as a transaction of its own. */
final class Connections {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  // Longer than a statement may take, for a database that does not answer at all.
  private static final int NETWORK_MILLIS = 2_000 * Sql.TIMEOUT_SECONDS;
  private static final int UNCHANGED = -1;

  /** The SQLStates of a table or schema that is not there: PostgreSQL's, and H2's. */
  static final Set<String> NO_TABLE = Set.of("42P01", "3F000", "42S02", "42S03", "42S04", "90079");

  private final DataSource source;

  Connections(DataSource source) {
    this.source = source;
  }

  /** Statements that run on a connection. */
  interface Statements<T extends @Nullable Object> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * Runs statements in auto-commit mode. The connection gets the settings back that it had before.
   *
   * @throws RefusedException if there is no connection, so that nothing can have been written
   * @throws IOException if a statement failed; what it wrote is not known
   */
  <T extends @Nullable Object> T run(Statements<T> statements) throws IOException {
    Connection connection = open();
    boolean automatic = true;
    int networkMillis = UNCHANGED;
    try {
      automatic = connection.getAutoCommit();
      leaveTransactions(connection);
      networkMillis = boundNetwork(connection);
      return statements.run(connection);
    } catch (CorruptRowException corrupt) {
      LOG.error("{}; the row is kept", corrupt.getMessage());
      throw new IOException(corrupt.getMessage(), corrupt);
    } catch (CodecException failed) {
      throw new IOException(failed.getMessage(), failed);
    } catch (SQLException failed) {
      throw new IOException("the journal failed: SQLState " + failed.getSQLState(), failed);
    } finally {
      restore(connection, automatic, networkMillis);
      close(connection);
    }
  }

  private Connection open() throws RefusedException {
    try {
      return source.getConnection();
    } catch (SQLException | RuntimeException none) { // pools throw either
      throw new RefusedException(
          Refusal.UNREACHABLE, "no connection to the journal: " + none.getMessage(), none);
    }
  }

  // A connection of PostgreSQL within a distributed transaction says that it is in auto-commit
  // mode. But it refuses setAutoCommit(true), which does nothing on other connections.
  private static void leaveTransactions(Connection connection) throws IOException {
    try {
      connection.setAutoCommit(true);
    } catch (SQLException joined) {
      throw new IOException(
          "the journal's connection does not leave the transaction that it is in, such as a"
              + " distributed (XA) one, so nothing was written: give the journal a data source that"
              + " joins none",
          joined);
    }
  }

  /**
   * Checks that a connection is within a transaction, of its own or a distributed one.
   *
   * @throws IllegalArgumentException if it is not
   */
  static void requireTransaction(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      return;
    }
    try {
      connection.setAutoCommit(true);
    } catch (SQLException distributed) {
      return;
    }
    throw new IllegalArgumentException(
        "connection: in auto-commit mode (expected: within a transaction of the caller)");
  }

  // Returns the timeout that was set before. A shorter one of the user's stays.
  private static int boundNetwork(Connection connection) {
    try {
      int before = connection.getNetworkTimeout();
      if (before > 0 && before <= NETWORK_MILLIS) {
        return UNCHANGED;
      }
      connection.setNetworkTimeout(Runnable::run, NETWORK_MILLIS);
      return before;
    } catch (SQLException unsupported) { // pools of transaction managers throw this plain one
      return UNCHANGED;
    }
  }

  private static void restore(Connection connection, boolean automatic, int networkMillis) {
    try {
      if (networkMillis != UNCHANGED) {
        connection.setNetworkTimeout(Runnable::run, networkMillis);
      }
    } catch (SQLException broken) {
      LOG.debug("a connection of the journal is broken", broken);
    }
    try {
      if (!automatic) {
        connection.setAutoCommit(false);
      }
    } catch (SQLException broken) {
      LOG.debug("a connection of the journal is broken", broken);
    }
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException broken) {
      LOG.warn("a connection of the journal could not be closed", broken);
    }
  }
}
