package dev.steadfast.retry.journal;

import com.zaxxer.hikari.HikariDataSource;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Repeat;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * What a journaled operation costs without its request, beside one bare insert and two bare updates
 * on the same pooled, durable connection. Prints the medians of alternating runs.
 */
final class JournalCost {
  private static final int WARM_UP = 500;
  private static final int OPERATIONS = 2_000;

  private JournalCost() {}

  private interface Step {
    void run(int i) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    try (TestDatabase database = TestDatabase.postgres();
        HikariDataSource pool = new HikariDataSource()) {
      pool.setDataSource(database.source());
      pool.setMaximumPoolSize(1);
      database.execute("create table bare (id integer primary key, body bytea, state varchar(9))");
      JdbcJournal journal = JdbcJournal.builder(pool).build();
      ExecutorService executor = Executors.newSingleThreadExecutor();
      Step bare = i -> bare(pool, i);
      Step direct = i -> journaled(journal, i);
      Step handedOver = i -> executor.submit(() -> journaled(journal, -i)).get();
      double[][] nanos = new double[3][OPERATIONS];
      for (int i = 1 - WARM_UP; i <= OPERATIONS; i++) {
        int id = i + WARM_UP;
        int at = Math.max(0, i - 1);
        nanos[0][at] = nanos(bare, id);
        nanos[1][at] = nanos(direct, id);
        nanos[2][at] = nanos(handedOver, id);
      }
      executor.shutdown();
      double base = median(nanos[0]);
      print("bare insert and two updates", nanos[0], base);
      print("journaled operation", nanos[1], base);
      print("the same on another thread", nanos[2], base);
    }
  }

  private static void print(String what, double[] nanos, double base) {
    double median = median(nanos);
    System.out.printf("%-30s %8.1f us %6.2f x%n", what, median / 1_000, median / base);
  }

  private static double nanos(Step step, int i) throws Exception {
    long begin = System.nanoTime();
    step.run(i);
    return System.nanoTime() - begin;
  }

  private static double median(double[] nanos) {
    double[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static Object journaled(JdbcJournal journal, int i) throws Exception {
    Intent intent = TestIntents.intent("order-" + i, "charge 5", TestIntents.terms(Repeat.KEYED));
    Claim.Granted claim = (Claim.Granted) journal.claim(intent, Duration.ofSeconds(30));
    boolean held =
        journal.sending(intent, claim)
            && journal.ended(intent, claim, TestIntents.ending(State.SUCCEEDED));
    if (!held) {
      throw new IllegalStateException("the claim was lost");
    }
    return claim;
  }

  private static void bare(DataSource pool, int i) throws SQLException {
    String insert = "insert into bare (id, body, state) values (?, ?, 'ready')";
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(insert)) {
      statement.setInt(1, i);
      statement.setBytes(2, new byte[8]);
      statement.executeUpdate();
    }
    for (String state : new String[] {"sent", "done"}) {
      String update = "update bare set state = ? where id = ?";
      try (Connection connection = pool.getConnection();
          PreparedStatement statement = connection.prepareStatement(update)) {
        statement.setString(1, state);
        statement.setInt(2, i);
        statement.executeUpdate();
      }
    }
  }
}
