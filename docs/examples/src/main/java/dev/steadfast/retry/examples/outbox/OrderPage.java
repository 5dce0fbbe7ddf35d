package dev.steadfast.retry.examples.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** What a customer is told about the payment of an order. */
final class OrderPage {
  /** The four words. */
  enum State {
    /** Nothing has left the shop. It will. */
    NEVER_SENT("never sent"),
    /** The payments service has taken the payment. */
    SUCCEEDED("succeeded"),
    /** The payments service has not taken the payment, and will not. */
    FAILED("failed"),
    /** A request may have left the shop, and no answer came. */
    UNKNOWN("unknown");

    private final String word;

    State(String word) {
      this.word = word;
    }

    /** Whether the page tells the truth if the service has made so many payments. */
    boolean agreesWith(long payments) {
      return switch (this) {
        case SUCCEEDED -> payments == 1;
        case NEVER_SENT, FAILED -> payments == 0;
        case UNKNOWN -> payments <= 1;
      };
    }

    @Override
    public String toString() {
      return word;
    }
  }

  // region outbox-page
  private static final String STATES =
      """
      select orders.id, case
          when state in ('succeeded', 'failed', 'unknown') then state
          when first_sent_at is null then 'never_sent'
          else 'unknown' -- for now: the relay sends it again
        end
        from orders
        join steadfast_operation on name = 'charge' and principal = '' and op_key = orders.id
      """;

  // endregion

  private OrderPage() {}

  /** The states of all orders, all of one moment. */
  static Map<String, State> states(DataSource database) throws SQLException {
    Map<String, State> states = new TreeMap<>();
    try (Connection connection = database.getConnection();
        PreparedStatement statement = connection.prepareStatement(STATES);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        states.put(row.getString(1), State.valueOf(row.getString(2).toUpperCase(Locale.ROOT)));
      }
    }
    return states;
  }
}
