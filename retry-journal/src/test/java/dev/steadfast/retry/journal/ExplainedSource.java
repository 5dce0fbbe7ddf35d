package dev.steadfast.retry.journal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source that has PostgreSQL explain each statement before it is run: with the same values,
 * in a transaction that is rolled back.
 */
final class ExplainedSource {
  private static final Pattern SCAN =
      Pattern.compile(
          "(Seq Scan|Index Scan|Index Only Scan|Bitmap Heap Scan|Bitmap Index Scan).*\\(actual.*"
              + " rows=([0-9.]+) loops=([0-9]+)\\)");
  private static final Pattern REMOVED =
      Pattern.compile("Rows Removed by (?:Filter|Index Recheck): ([0-9]+)");
  private final DataSource source;
  private final List<Plan> plans = Collections.synchronizedList(new ArrayList<>());

  ExplainedSource(DataSource source) {
    this.source = source;
  }

  /**
   * How a statement was carried out.
   *
   * @param sql its text
   * @param text the plan
   * @param read how many rows of the journal's tables were read
   * @param changed how many rows it has given or changed; at least 1
   */
  record Plan(String sql, String text, long read, int changed) {
    boolean scansAll() {
      return text.contains("Seq Scan on steadfast");
    }
  }

  List<Plan> plans() {
    return List.copyOf(plans);
  }

  void clear() {
    plans.clear();
  }

  DataSource source() {
    return proxy(
        DataSource.class,
        (self, method, arguments) -> {
          Object result = call(source, method, arguments);
          return result instanceof Connection connection ? connection(connection) : result;
        });
  }

  private Connection connection(Connection real) {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          Object result = call(real, method, arguments);
          return result instanceof PreparedStatement statement
              ? statement(statement, (String) arguments[0])
              : result;
        });
  }

  /** A call that set a value. */
  private record Value(Method method, List<Object> arguments) {
    void set(PreparedStatement statement) throws Throwable {
      call(statement, method, arguments.toArray());
    }
  }

  private PreparedStatement statement(PreparedStatement real, String sql) {
    List<Value> values = new ArrayList<>();
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          String name = method.getName();
          if (name.startsWith("set") && !name.equals("setQueryTimeout")) {
            values.add(new Value(method, Arrays.asList(arguments)));
          }
          if ((name.equals("executeQuery") || name.equals("executeUpdate"))
              && sql.contains("steadfast_")) {
            plans.add(explain(sql, values));
          }
          return call(real, method, arguments);
        });
  }

  private Plan explain(String sql, List<Value> values) throws Throwable {
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement explain =
          connection.prepareStatement("explain (analyze, buffers off) " + sql)) {
        for (Value each : values) {
          each.set(explain);
        }
        StringBuilder text = new StringBuilder();
        try (ResultSet row = explain.executeQuery()) {
          while (row.next()) {
            text.append(row.getString(1)).append('\n');
          }
        }
        connection.rollback();
        return new Plan(sql, text.toString(), read(text), changed(connection, sql, values));
      }
    }
  }

  // In a plan an update without "returning" gives no rows, so it is run once more.
  private static int changed(Connection connection, String sql, List<Value> values)
      throws Throwable {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (Value each : values) {
        each.set(statement);
      }
      int rows = 0;
      if (statement.execute()) {
        try (ResultSet row = statement.getResultSet()) {
          while (row.next()) {
            rows++;
          }
        }
      } else {
        rows = statement.getUpdateCount();
      }
      return Math.max(1, rows);
    } finally {
      connection.rollback();
    }
  }

  private static long read(CharSequence plan) {
    double read = 0;
    double loops = 1;
    for (String line : plan.toString().lines().toList()) {
      Matcher scan = SCAN.matcher(line);
      if (scan.find() && !line.contains("Bitmap Index")) {
        loops = Double.parseDouble(scan.group(3));
        read += Double.parseDouble(scan.group(2)) * loops;
      }
      Matcher removed = REMOVED.matcher(line);
      if (removed.find()) {
        read += Long.parseLong(removed.group(1)) * loops;
      }
    }
    return Math.round(read);
  }

  private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
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
