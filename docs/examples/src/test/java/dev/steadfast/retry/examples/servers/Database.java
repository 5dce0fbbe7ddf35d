package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Counterpart;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** A real PostgreSQL with a schema of its own for these tests, which can lose a commit's answer. */
final class Database {
  private final DataSource postgres = Counterpart.database().dataSource();
  private final AtomicBoolean losesCommit = new AtomicBoolean();

  /** The schema is empty. */
  Database() throws IOException, SQLException {
    execute("drop schema if exists servers cascade; create schema servers");
  }

  /** The next commit is carried out, and who committed gets an exception. */
  void loseCommit() {
    losesCommit.set(true);
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  Connection connect() throws SQLException {
    Connection connection = postgres.getConnection();
    connection.setSchema("servers");
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Object result = method.invoke(connection, arguments);
          if (method.getName().equals("commit") && losesCommit.getAndSet(false)) {
            throw new SQLException("the connection broke");
          }
          return result;
        });
  }

  /** What the services get. */
  DataSource dataSource() {
    return proxy(DataSource.class, (method, arguments) -> connect());
  }

  /** Answers the calls of an interface. */
  @FunctionalInterface
  private interface Handler {
    Object call(Method method, Object[] arguments) throws Exception;
  }

  private static <T> T proxy(Class<T> type, Handler handler) {
    Object proxy =
        Proxy.newProxyInstance(
            Database.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return handler.call(method, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
    return type.cast(proxy);
  }
}
