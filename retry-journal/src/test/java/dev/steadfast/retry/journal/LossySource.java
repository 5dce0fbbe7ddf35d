package dev.steadfast.retry.journal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Real connections, of which a test breaks one before a statement or before its answer. Records the
 * threads that take connections and the time limits of statements.
 */
final class LossySource {
  final List<String> threads = new CopyOnWriteArrayList<>();
  final List<Integer> timeouts = new CopyOnWriteArrayList<>();

  private final DataSource real;
  private final AtomicReference<@Nullable Loss> next = new AtomicReference<>();

  /** What happens right before the statement, or when it is lost. */
  interface Event {
    void run() throws Exception;
  }

  private record Loss(String sql, boolean carriedOut, boolean lost, Event meanwhile) {}

  LossySource(DataSource real) {
    this.real = real;
  }

  /** Loses the next statement that begins so, before it reaches the database. */
  void loseStatement(String sql, Event meanwhile) {
    next.set(new Loss(sql, false, true, meanwhile));
  }

  /** Runs an event right before the next statement that begins so. */
  void before(String sql, Event meanwhile) {
    next.set(new Loss(sql, false, false, meanwhile));
  }

  /** Loses the answer to the next statement that begins so. */
  void loseAnswer(String sql) {
    next.set(new Loss(sql, true, true, () -> {}));
  }

  boolean isOver() {
    return next.get() == null;
  }

  DataSource source() {
    return proxy(
        DataSource.class,
        real,
        (name, arguments, call) -> {
          if (!name.equals("getConnection")) {
            return call.run();
          }
          threads.add(Thread.currentThread().getName());
          return connection((Connection) call.run());
        });
  }

  /** A pool of one connection. */
  static DataSource always(Connection connection) {
    Connection kept =
        proxy(
            Connection.class,
            connection,
            (name, arguments, call) -> name.equals("close") ? null : call.run());
    return proxy(DataSource.class, connection, (name, arguments, call) -> kept);
  }

  private Connection connection(Connection connection) {
    return proxy(
        Connection.class,
        connection,
        (name, arguments, call) -> {
          Object result = call.run();
          return result instanceof PreparedStatement statement
              ? statement(connection, statement, (String) arguments[0])
              : result;
        });
  }

  private PreparedStatement statement(
      Connection connection, PreparedStatement statement, String sql) {
    return proxy(
        PreparedStatement.class,
        statement,
        (name, arguments, call) -> {
          if (!name.startsWith("execute")) {
            return call.run();
          }
          timeouts.add(statement.getQueryTimeout());
          Loss loss = next.get();
          if (loss == null || !sql.startsWith(loss.sql()) || !next.compareAndSet(loss, null)) {
            return call.run();
          }
          if (loss.carriedOut()) {
            call.run();
          }
          loss.meanwhile().run();
          if (!loss.lost()) {
            return call.run();
          }
          connection.close();
          throw new SQLException("the connection is lost", "08006");
        });
  }

  private interface Call {
    Object run() throws Throwable;
  }

  private interface Handler {
    Object handle(String name, Object[] arguments, Call call) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Object target, Handler handler) {
    Object proxy =
        Proxy.newProxyInstance(
            LossySource.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                handler.handle(
                    method.getName(),
                    arguments,
                    () -> {
                      try {
                        return method.invoke(target, arguments);
                      } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                      }
                    }));
    return type.cast(proxy);
  }
}
