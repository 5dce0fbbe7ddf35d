package dev.steadfast.retry.journal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** The statement of {@link Oversight#totals}. Immutable. */
final class TotalsRow {
  private static final int MOST = 10_000;
  private static final int MOST_READ = 1_000;

  private final String sql;

  TotalsRow(Dialect dialect, Tables tables, Deliveries deliveries) {
    String operations = " from steadfast_operation where ";
    String sequences = " from steadfast_sequence where ";
    String now = "(select " + dialect.now() + ")"; // read once, so that an index can be used
    String left = "(select min(coalesce(due_at, lease_until))" + operations + DueRows.LEFT + ")";
    this.sql =
        tables.named(
            "select "
                + count(operations + DueRows.READY + " and due_at <= " + now)
                + " as due, "
                + count(sequences + "look_at <= " + now)
                + " as looks, "
                + dialect.millisUntil(oldest(deliveries.holding()))
                + " as until_due, "
                + count(operations + "state = 'unknown'")
                + " as unsettled, "
                + count(operations + "state = 'parked'")
                + " as parked, "
                + dialect.millisUntil(left)
                + " as until_left");
  }

  // Each delivery that fails moves the time at which an operation is due. So its age counts from
  // when it was begun: otherwise nothing would ever be late while a destination is dead.
  private static String oldest(String holding) {
    String sequences =
        "(select name as looked from steadfast_sequence where look_at is not null order by look_at"
            + " limit "
            + MOST_READ
            + ") looks";
    String first =
        "(select head.id from steadfast_operation head where head.sequence_name = looked and"
            + " head.state in ("
            + holding
            + ") order by head.sequence_number limit 1)";
    return "(select min(delivering_since) from ("
        + some(DueRows.READY, "due_at, id")
        + " union all "
        + some(DueRows.LEFT + " and deliver", "coalesce(due_at, lease_until)")
        + " union all (select delivering_since from "
        + sequences
        + " join steadfast_operation on id = "
        + first
        + " where state in ('ready', 'in_flight'))) waiting)";
  }

  private static String some(String condition, String order) {
    return "(select delivering_since from steadfast_operation where "
        + condition
        + " order by "
        + order
        + " limit "
        + MOST_READ
        + ")";
  }

  private static String count(String from) {
    return "(select count(*) from (select 1 as one" + from + " limit " + MOST + ") counted)";
  }

  Oversight.Totals read(Connection connection) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, sql);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return new Oversight.Totals(
          Math.min(row.getLong("due") + row.getLong("looks"), MOST),
          since(row, "until_due"),
          row.getLong("unsettled"),
          row.getLong("parked"),
          since(row, "until_left"));
    }
  }

  // Zero for a time to come, and for none.
  private static Duration since(ResultSet row, String column) throws SQLException {
    return Duration.ofMillis(Math.max(0, -row.getLong(column)));
  }
}
