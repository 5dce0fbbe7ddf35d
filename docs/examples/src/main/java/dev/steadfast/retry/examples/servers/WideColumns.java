package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Faults;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * What a service can use of a wide-column store such as Cassandra or ScyllaDB. <b>It is not
 * one</b>: it runs on PostgreSQL, and keeps to the same contract. Here a partition is one key with
 * its payment.
 *
 * <ul>
 *   <li>A batch of inserts within one partition is carried out as a whole, on the condition that a
 *       row is absent. There is no other transaction, and none across partitions.
 *   <li>If the condition fails, the store answers with the row that is there.
 *   <li>A row has a time to live. After it the row is absent.
 *   <li>A condition costs several round trips between replicas: 10 to 30 ms.
 *   <li>If the store answers with a timeout, it is not known whether the batch was carried out.
 * </ul>
 */
final class WideColumns {
  static final String TABLES =
      """
      create table if not exists key_rows (
        key        text primary key,
        request    text not null,
        answer     text not null,
        expires_at timestamptz not null
      );
      """;

  /** A row of the table of keys. */
  record Row(String key, String request, String answer) {
    private static Row read(ResultSet row) throws SQLException {
      return new Row(row.getString("key"), row.getString("request"), row.getString("answer"));
    }
  }

  private static final String LATENCY = "select pg_sleep(0.01 + 0.02 * random())";
  private static final String INSERT =
      """
      with inserted as (
        insert into key_rows (key, request, answer, expires_at)
          values (?, ?, ?, clock_timestamp() + ? * interval '1 ms')
          on conflict (key) do update
            set request = excluded.request, answer = excluded.answer,
                expires_at = excluded.expires_at
            where key_rows.expires_at <= clock_timestamp()
          returning key)
      insert into payments (intent, amount) select ?, ? from inserted
      """;
  private static final String FIND = "select key, request, answer from key_rows where key = ?";

  private final DataSource dataSource;
  private final Duration timeToLive;
  private final Faults faults;

  /** The rows of keys live for so long; payments stay. The faults are for tests. */
  WideColumns(DataSource dataSource, Duration timeToLive, Faults faults) {
    this.dataSource = dataSource;
    this.timeToLive = timeToLive;
    this.faults = faults;
  }

  /** Inserts the row and its payment, or returns the row with the key that is there. */
  Optional<Row> insertIfAbsent(Row row, Payment payment) throws SQLException {
    Object[] values = {
      row.key, row.request, row.answer, timeToLive.toMillis(), payment.intent(), payment.amount()
    };
    try (Connection connection = dataSource.getConnection()) {
      Sql.first(connection, slept -> slept, LATENCY);
      if (Sql.update(connection, INSERT, values) == 0) {
        return Optional.of(Sql.first(connection, Row::read, FIND, row.key).orElseThrow());
      }
      faults.at(Point.AFTER_KEY, payment.intent());
      return Optional.empty();
    }
  }
}
