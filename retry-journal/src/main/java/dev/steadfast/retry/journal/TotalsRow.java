package dev.steadfast.retry.journal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** The statement of {@link Oversight#totals}. Immutable. */
final class TotalsRow {
  private static final int MOST = 10_000;

  private final String sql;

  TotalsRow(Dialect dialect, Tables tables) {
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
                + dialect.millisUntil("(select min(due_at)" + operations + DueRows.READY + ")")
                + " as until_due, "
                + dialect.millisUntil("(select min(look_at)" + sequences + "look_at is not null)")
                + " as until_look, "
                + count(operations + "state = 'unknown'")
                + " as unsettled, "
                + count(operations + "state = 'parked'")
                + " as parked, "
                + dialect.millisUntil(left)
                + " as until_left");
  }

  private static String count(String from) {
    return "(select count(*) from (select 1 as one" + from + " limit " + MOST + ") counted)";
  }

  Oversight.Totals read(Connection connection) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, sql);
        ResultSet row = statement.executeQuery()) {
      row.next();
      Duration due = since(row, "until_due");
      Duration look = since(row, "until_look");
      return new Oversight.Totals(
          Math.min(row.getLong("due") + row.getLong("looks"), MOST),
          due.compareTo(look) > 0 ? due : look,
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
