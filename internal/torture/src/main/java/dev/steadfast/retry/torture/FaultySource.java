package dev.steadfast.retry.torture;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/**
 * A data source whose commits can be made to fail. A commit is a call of {@code commit()}, or an
 * update on a connection with auto-commit. Each takes one failure. Safe for use by many threads.
 */
final class FaultySource {
  /** How a commit fails. */
  enum Failure {
    /** The connection breaks, and nothing was committed. */
    LOST_BEFORE("08006", false),
    /** The connection breaks, and all was committed. */
    LOST_AFTER("08006", true),
    /** The database gives this transaction up to end a deadlock. */
    DEADLOCK("40P01", false),
    /** The disk of the database is full. */
    DISK_FULL("53100", false);

    private final String sqlState;
    private final boolean after;

    Failure(String sqlState, boolean after) {
      this.sqlState = sqlState;
      this.after = after;
    }

    /** A connection lost before or after the commit, depending on the operation's number. */
    static Failure lost(Op operation) {
      return operation.intent().hashCode() % 2 == 0 ? LOST_BEFORE : LOST_AFTER;
    }

    private boolean breaks() {
      return this == LOST_BEFORE || this == LOST_AFTER;
    }
  }

  /** Something that commits. */
  private interface Commit {
    Object run() throws Throwable;
  }

  private final DataSource real;
  private final Mutation mutation;
  private final Queue<Failure> armed = new ConcurrentLinkedQueue<>();

  /**
   * A source.
   *
   * @param mutation how statements are changed
   */
  FaultySource(DataSource real, Mutation mutation) {
    this.real = real;
    this.mutation = mutation;
  }

  /** Makes the next commit fail. */
  void arm(Failure failure) {
    armed.add(failure);
  }

  /** The database with these failures. */
  DataSource dataSource() {
    return proxy(
        DataSource.class,
        (self, method, arguments) -> {
          Object result = call(real, method, arguments);
          return result instanceof Connection connection ? watched(connection) : result;
        });
  }

  private Connection watched(Connection connection) {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          if (method.getName().equals("commit")) {
            return commit(connection, () -> call(connection, method, arguments));
          }
          if (!method.getName().equals("prepareStatement")) {
            return call(connection, method, arguments);
          }
          boolean skips = mutation.skips(arguments[0]);
          arguments[0] = mutation.of(arguments[0]);
          PreparedStatement statement = (PreparedStatement) call(connection, method, arguments);
          return skips ? skipped(statement) : watched(statement, connection);
        });
  }

  private static PreparedStatement skipped(PreparedStatement statement) {
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) ->
            method.getName().equals("executeUpdate") ? 1 : call(statement, method, arguments));
  }

  private PreparedStatement watched(PreparedStatement statement, Connection connection) {
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) ->
            method.getName().equals("executeUpdate") && connection.getAutoCommit()
                ? commit(connection, () -> call(statement, method, arguments))
                : call(statement, method, arguments));
  }

  private Object commit(Connection connection, Commit commit) throws Throwable {
    Failure failure = armed.poll();
    if (failure == null) {
      return commit.run();
    }
    if (failure.after) {
      commit.run();
    }
    if (failure.breaks()) {
      connection.abort(Runnable::run);
    }
    throw new SQLException("fault: " + failure, failure.sqlState);
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
