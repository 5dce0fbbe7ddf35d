package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.operations.OperationJournal;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The journal of {@code steadfast.journal}, with the transactions of Spring: of JDBC, and of JPA
 * with Hibernate. Only {@link #enlist} takes part in the transaction of the thread. All else that
 * the journal writes is committed on its own, also if it is called within a transaction.
 *
 * <pre>{@code
 * @Transactional
 * public void order(Order order) {
 *   orders.save(order);
 *   journal.enlist(payments.with(charge(order)).intent(request(order)));
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads. Another instance that makes the same call while the transaction
 * is open waits for its end, for 10 s at most, and sends nothing meanwhile.
 */
public final class SteadfastJournal {
  private final JdbcJournal journal;
  private final DataSource source;
  private final EnlistingJournal enlisting;
  private final TransactionEnds ends;
  private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

  SteadfastJournal(JdbcJournal journal, DataSource source, TransactionEnds ends) {
    this.journal = journal;
    this.ends = ends;
    this.source = withoutProxy(source);
    this.enlisting = new EnlistingJournal(journal);
  }

  /** The data source whose connections commit on their own. */
  static DataSource withoutProxy(DataSource source) {
    DataSource target =
        source instanceof TransactionAwareDataSourceProxy proxy
            ? proxy.getTargetDataSource()
            : null;
    return target == null ? source : target;
  }

  /**
   * Writes an operation in the transaction of the calling thread. It is sent after the commit, by
   * the job {@code steadfast.journal.resume} or by the same call. The same call within this
   * transaction is refused. The exceptions are unchecked, so that Spring rolls the transaction
   * back.
   *
   * @param operation the request to be sent, as {@code intent} of a client gives it
   * @return false if the same operation is there already, enlisted or finished
   * @throws IllegalStateException if the thread has no transaction on the data source of the
   *     journal, or one that was committed already, as in a callback after the commit
   * @throws UncheckedIOException with a {@code RefusedException} as its cause, if the journal
   *     refuses the operation
   * @throws DataAccessException if the operation cannot be written
   * @throws IllegalArgumentException if the body of the operation is not kept
   */
  public boolean enlist(Journaling.Kept operation) {
    return enlistIn(operation, null);
  }

  /**
   * Enlists an operation in a sequence, whose operations are sent one after another.
   *
   * @param operation the request to be sent, as {@code intent} of a client gives it
   * @param sequence its name, 1 to 100 characters
   * @return false if the same operation is there already, enlisted or finished
   * @throws IllegalStateException if the thread has no transaction on the data source of the
   *     journal, or one that was committed already, as in a callback after the commit
   * @throws UncheckedIOException with a {@code RefusedException} as its cause, if the journal
   *     refuses the operation
   * @throws DataAccessException if the operation cannot be written
   * @throws IllegalArgumentException if the name is out of its range, or if the body of the
   *     operation is not kept
   */
  public boolean enlist(Journaling.Kept operation, String sequence) {
    return enlistIn(operation, sequence);
  }

  private boolean enlistIn(Journaling.Kept operation, @Nullable String sequence) {
    Connection connection = DataSourceUtils.getConnection(source);
    try {
      if (!DataSourceUtils.isConnectionTransactional(connection, source)
          || connection.getAutoCommit()) {
        throw new IllegalStateException(
            "transaction: none on the data source of the journal (expected: a call of enlist"
                + " within @Transactional, whose transaction manager uses the same data source)");
      }
      if (ends.isCommitted() || !TransactionSynchronizationManager.isSynchronizationActive()) {
        throw new IllegalStateException(
            "transaction: committed already, or without synchronization (expected: a call of enlist"
                + " before the commit, or in a transaction of its own: REQUIRES_NEW)");
      }
      enlisting.untilTheEnd(OperationJournal.Intent.of(operation).id());
      return sequence == null
          ? journal.enlist(connection, operation)
          : journal.enlist(connection, operation, sequence);
    } catch (OperationJournal.RefusedException refused) {
      throw new UncheckedIOException(refused);
    } catch (SQLException failed) {
      DataAccessException known = translator.translate("enlist", null, failed);
      throw known == null ? new UncategorizedSQLException("enlist", null, failed) : known;
    } finally {
      DataSourceUtils.releaseConnection(connection, source);
    }
  }

  /**
   * The journal itself, with its methods to settle and to purge, and its view for a person.
   *
   * @return the same one each time
   */
  public JdbcJournal journal() {
    return journal;
  }

  /** The journal that clients write to. */
  OperationJournal ofClients() {
    return enlisting;
  }

  @Override
  public String toString() {
    return "SteadfastJournal(" + journal + ")";
  }
}
